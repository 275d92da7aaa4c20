import { PageHead } from "../../parts/page-head.tsx";

export default function MetricsPage() {
  return <PageHead title="metrics-page" />;
}
