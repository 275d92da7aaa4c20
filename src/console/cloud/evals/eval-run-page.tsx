import { EvalRunView } from "../../hosted-evals/eval-run-view.tsx";
import { type OrgPageProps, orgPage } from "../org-page.tsx";
import { useOrgEvals } from "./org-eval-host.tsx";

export default orgPage(EvalRunPage);

function EvalRunPage({ org }: OrgPageProps) {
  return <EvalRunView host={useOrgEvals(org)} />;
}
