import type { CloudEvalRun } from "../../../contracts/cloud/evals.ts";
import type { OwnOrg } from "../../../contracts/cloud/orgs.ts";
import { type EvalHost, evalKeys } from "../../hosted-evals/eval-host.ts";
import { formatNumber } from "../../parts/text/format.ts";
import { orgEvalTexts as texts } from "../../texts/cloud/evals.ts";
import { orgPaths } from "../cloud-paths.ts";
import { mayManage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { EvalRunDialog } from "./eval-run-dialog.tsx";

/** An org's evals, as its pages show them. */
export function useOrgEvals({ slug, display_name: name, role }: OwnOrg): EvalHost<CloudEvalRun> {
  const paths = orgPaths(slug);
  return {
    calls: useCloud().evals(slug),
    keys: evalKeys("cloud", slug),
    paths: { evals: paths.evals, run: paths.evalRun, turn: () => undefined },
    versionOf: ({ checksum }) => checksum.slice(0, 8),
    spent: { label: texts.tokens, of: ({ tokens_used: tokens }) => formatNumber(tokens) },
    managesGates: mayManage({ role }),
    texts: { lead: texts.lead(name), none: texts.none, deleteText: texts.deleteText },
    runDialog: (of, close) => <EvalRunDialog slug={slug} of={of} close={close} />,
  };
}
