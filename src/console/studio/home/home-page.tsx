import { PageHead } from "../../parts/page-head.tsx";

export default function HomePage() {
  return <PageHead title="home-page" />;
}
