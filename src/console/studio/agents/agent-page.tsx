import { PageHead } from "../../parts/page-head.tsx";

export default function AgentPage() {
  return <PageHead title="agent-page" />;
}
