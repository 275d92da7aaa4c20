import { EvalsView } from "../../../hosted-evals/evals-view.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { useTenantEvals } from "./tenant-eval-host.tsx";

export default tenantPage(EvalsPage);

function EvalsPage({ tenant }: TenantPageProps) {
  return <EvalsView host={useTenantEvals(tenant)} />;
}
