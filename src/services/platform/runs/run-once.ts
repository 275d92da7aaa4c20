import type { RunAwaiting, RunInProgress } from "../../../contracts/platform/runs/run-frames.ts";
import type { PlatformRunResult } from "../../../contracts/platform/runs/runs.ts";
import { runToEnd } from "../../../control-plane/runs/follow-run.ts";
import type { Registrations } from "../agents/registrations.ts";
import { beginRun, type RunCall } from "./admission/begin-run.ts";
import type { TenantRunDeps } from "./deps.ts";
import { replayRun } from "./idempotency/replay-run.ts";
import { performRun } from "./perform-run.ts";
import type { RunOutcome } from "./settlement/run-outcome.ts";

/** The HTTP answer of a synchronous run. */
export interface TenantRunAnswer {
  status: 200 | 202;
  body: PlatformRunResult | RunAwaiting | RunInProgress;
  headers: Record<string, string>;
}

/** From this percentage on, callers get a header with their credit usage. */
const tellFromPercent = 80;

/** Runs an agent to its end. Throws the AppError of a refused or failed run. `headers` are set for successful and failed answers. */
export async function runOnce(
  deps: TenantRunDeps,
  registrations: Registrations,
  call: RunCall,
  headers: Record<string, unknown>,
): Promise<TenantRunAnswer> {
  const beginning = await beginRun(deps, registrations, call);
  if (beginning.kind === "begun") return answerOf(await runToEnd(performRun(deps, beginning.run)));
  const { invocationId } = beginning;
  const replay = await replayRun(deps, { tenantId: call.tenant.tenantId, invocationId });
  headers["idempotency-replayed"] = "true";
  if (!("inProgress" in replay)) return answerOf(replay.outcome);
  return { status: 200, body: replay.inProgress, headers: { "retry-after": "2" } };
}

/** Converts an outcome to an HTTP answer. Throws the error of a failed run. */
export function answerOf(outcome: RunOutcome): TenantRunAnswer {
  switch (outcome.kind) {
    case "failed":
      throw outcome.error;
    case "awaiting":
      return { status: 202, body: outcome.awaiting, headers: {} };
    case "done": {
      const { creditPercent } = outcome;
      const isTold = creditPercent !== undefined && creditPercent >= tellFromPercent;
      return {
        status: 200,
        body: outcome.result,
        headers: isTold ? { "x-platform-credit-usage": String(creditPercent) } : {},
      };
    }
  }
}
