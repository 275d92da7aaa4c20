import { PageHead } from "../../parts/page-head.tsx";

export default function RecordingsPage() {
  return <PageHead title="recordings-page" />;
}
