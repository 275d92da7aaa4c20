import { PageHead } from "../../../parts/page-head.tsx";

export default function TariffsPage() {
  return <PageHead title="tariffs-page" />;
}
