import { PageHead } from "../../parts/page-head.tsx";

export default function TracePage() {
  return <PageHead title="trace-page" />;
}
