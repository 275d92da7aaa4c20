import { PageHead } from "../../../parts/page-head.tsx";

export default function PeriodsPage() {
  return <PageHead title="periods-page" />;
}
