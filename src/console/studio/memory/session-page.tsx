import { PageHead } from "../../parts/page-head.tsx";

export default function SessionPage() {
  return <PageHead title="session-page" />;
}
