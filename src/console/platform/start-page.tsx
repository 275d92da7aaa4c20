import { PageHead } from "../parts/page-head.tsx";

export default function StartPage() {
  return <PageHead title="start-page" />;
}
