import type { HostedEvalRunStatus } from "../../../../contracts/evals/hosted-evals.ts";
import type { PlatformEvalRun } from "../../../../contracts/platform/evals.ts";
import type { Tone } from "../../../parts/text/status-badge.tsx";
import { tenantEvalTexts as texts } from "../../../texts/platform/tenant-evals.ts";

/** Keys of queries about a tenant's evals; a change invalidates all below `all`. */
export const tenantEvalKeys = (tenantId: string) => {
  const all = ["platform", tenantId, "evals"];
  return {
    all,
    list: [...all, "list"],
    runs: [...all, "runs"],
    run: (id: string) => [...all, "run", id],
    results: (id: string, part: string) => [...all, "results", id, part],
  };
};

export const evalRunTones: Readonly<Record<HostedEvalRunStatus, Tone>> = {
  queued: "plain",
  running: "accent",
  complete: "good",
  budget: "warn",
  cancelled: "plain",
  failed: "bad",
};

/** The version that a run asked. */
export const askedVersion = ({ agent_version: version, checksum }: PlatformEvalRun): string =>
  version === null ? texts.candidate(checksum) : texts.numbered(version);
