import { PageHead } from "../../parts/page-head.tsx";

export default function NewAgentPage() {
  return <PageHead title="new-agent-page" />;
}
