import { PageHead } from "../../parts/page-head.tsx";

export default function ToolPage() {
  return <PageHead title="tool-page" />;
}
