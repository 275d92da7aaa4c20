import { PageHead } from "../../parts/page-head.tsx";

export default function EditAgentPage() {
  return <PageHead title="edit-agent-page" />;
}
