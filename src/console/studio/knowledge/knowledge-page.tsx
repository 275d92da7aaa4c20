import { PageHead } from "../../parts/page-head.tsx";

export default function KnowledgePage() {
  return <PageHead title="knowledge-page" />;
}
