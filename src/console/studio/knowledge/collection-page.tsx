import { PageHead } from "../../parts/page-head.tsx";

export default function CollectionPage() {
  return <PageHead title="collection-page" />;
}
