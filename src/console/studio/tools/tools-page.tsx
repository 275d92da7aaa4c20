import { PageHead } from "../../parts/page-head.tsx";

export default function ToolsPage() {
  return <PageHead title="tools-page" />;
}
