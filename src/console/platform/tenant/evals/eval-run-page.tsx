import { EvalRunView } from "../../../hosted-evals/eval-run-view.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { useTenantEvals } from "./tenant-eval-host.tsx";

export default tenantPage(EvalRunPage);

function EvalRunPage({ tenant }: TenantPageProps) {
  return <EvalRunView host={useTenantEvals(tenant)} />;
}
