import { PageHead } from "../../../parts/page-head.tsx";

export default function InvocationPage() {
  return <PageHead title="invocation-page" />;
}
