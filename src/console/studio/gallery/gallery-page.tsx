import { PageHead } from "../../parts/page-head.tsx";

export default function GalleryPage() {
  return <PageHead title="gallery-page" />;
}
