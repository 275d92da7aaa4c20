import { PageHead } from "../../parts/page-head.tsx";

export default function CostsPage() {
  return <PageHead title="costs-page" />;
}
