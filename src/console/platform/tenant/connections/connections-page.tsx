import { PageHead } from "../../../parts/page-head.tsx";

export default function ConnectionsPage() {
  return <PageHead title="connections-page" />;
}
