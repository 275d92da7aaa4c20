import { PageHead } from "../../parts/page-head.tsx";

export default function McpPage() {
  return <PageHead title="mcp-page" />;
}
