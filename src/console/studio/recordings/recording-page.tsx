import { PageHead } from "../../parts/page-head.tsx";

export default function RecordingPage() {
  return <PageHead title="recording-page" />;
}
