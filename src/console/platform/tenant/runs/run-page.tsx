import { PageHead } from "../../../parts/page-head.tsx";

export default function RunPage() {
  return <PageHead title="run-page" />;
}
