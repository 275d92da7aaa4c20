import { PageHead } from "../../parts/page-head.tsx";

export default function PlaygroundPage() {
  return <PageHead title="playground-page" />;
}
