import { PageHead } from "../../../parts/page-head.tsx";

export default function TenantPage() {
  return <PageHead title="tenant-page" />;
}
