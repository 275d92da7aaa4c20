import { PageHead } from "../../../parts/page-head.tsx";

export default function OverviewPage() {
  return <PageHead title="overview-page" />;
}
