import { PageHead } from "../../../parts/page-head.tsx";

export default function TenantsPage() {
  return <PageHead title="tenants-page" />;
}
