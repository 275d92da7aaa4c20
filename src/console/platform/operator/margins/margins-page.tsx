import { PageHead } from "../../../parts/page-head.tsx";

export default function MarginsPage() {
  return <PageHead title="margins-page" />;
}
