import type { HostedEval } from "../../../../contracts/evals/hosted-evals.ts";
import type { PlatformEvalRun } from "../../../../contracts/platform/evals.ts";
import { type EvalHost, evalKeys } from "../../../hosted-evals/eval-host.ts";
import { creditsText } from "../../../parts/text/money.ts";
import { tenantEvalTexts as texts } from "../../../texts/platform/tenant-evals.ts";
import { usePlatform } from "../../use-platform.ts";
import { useRights } from "../rights.tsx";
import type { ShownTenant } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { EvalRunDialog } from "./eval-run-dialog.tsx";

/** A tenant's evals, as its pages show them. */
export function useTenantEvals({ id, displayName }: ShownTenant): EvalHost<PlatformEvalRun> {
  const paths = tenantPaths(id);
  const may = useRights();
  return {
    calls: usePlatform(id),
    keys: evalKeys("platform", id),
    paths: {
      evals: paths.evals,
      run: paths.evalRun,
      turn: ({ agent }, { invocation_id: invocation }) =>
        invocation === undefined ? undefined : paths.invocation(agent, invocation),
    },
    versionOf: askedVersion,
    spent: {
      label: texts.credits,
      of: ({ credits_charged_micros: micros }) => creditsText(micros),
    },
    managesGates: may("gates"),
    texts: { lead: texts.lead(displayName), none: texts.none, deleteText: texts.deleteText },
    runDialog: (of: HostedEval, close) => <EvalRunDialog tenantId={id} of={of} close={close} />,
  };
}

const askedVersion = ({ agent_version: version, checksum }: PlatformEvalRun): string =>
  version === null ? texts.candidate(checksum) : texts.numbered(version);
