import { PageHead } from "../../../parts/page-head.tsx";

export default function InvocationsPage() {
  return <PageHead title="invocations-page" />;
}
