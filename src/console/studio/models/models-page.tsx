import { PageHead } from "../../parts/page-head.tsx";

export default function ModelsPage() {
  return <PageHead title="models-page" />;
}
