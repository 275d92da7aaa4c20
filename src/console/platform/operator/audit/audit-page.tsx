import { PageHead } from "../../../parts/page-head.tsx";

export default function AuditPage() {
  return <PageHead title="audit-page" />;
}
