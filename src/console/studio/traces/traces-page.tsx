import { PageHead } from "../../parts/page-head.tsx";

export default function TracesPage() {
  return <PageHead title="traces-page" />;
}
