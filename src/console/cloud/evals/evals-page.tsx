import { EvalsView } from "../../hosted-evals/evals-view.tsx";
import { type OrgPageProps, orgPage } from "../org-page.tsx";
import { useOrgEvals } from "./org-eval-host.tsx";

export default orgPage(EvalsPage);

function EvalsPage({ org }: OrgPageProps) {
  return <EvalsView host={useOrgEvals(org)} />;
}
