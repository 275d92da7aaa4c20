import { PageHead } from "../../../parts/page-head.tsx";

export default function UsagePage() {
  return <PageHead title="usage-page" />;
}
