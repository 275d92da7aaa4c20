import { PageHead } from "../../../parts/page-head.tsx";

export default function PlansPage() {
  return <PageHead title="plans-page" />;
}
