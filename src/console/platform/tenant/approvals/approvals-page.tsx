import { PageHead } from "../../../parts/page-head.tsx";

export default function ApprovalsPage() {
  return <PageHead title="approvals-page" />;
}
