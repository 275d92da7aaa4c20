import { PageHead } from "../../../parts/page-head.tsx";

export default function StatementPage() {
  return <PageHead title="statement-page" />;
}
