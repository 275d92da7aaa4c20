import { PageHead } from "../../parts/page-head.tsx";

export default function MemoryPage() {
  return <PageHead title="memory-page" />;
}
