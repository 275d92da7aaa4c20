import { type Call, holdOpen } from "../../../http/call.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { PlatformDeps } from "../deps.ts";
import { performRun } from "../runs/perform-run.ts";
import { readAlong } from "../runs/read-along.ts";
import type { Registrations } from "../runs/registrations.ts";
import { answerOf, lastOutcome, type RunAnswer } from "../runs/run-once.ts";
import { terminalFrame } from "../runs/stream-frames.ts";
import { runEvents, wantsEvents } from "../runs/stream-run.ts";
import { type Decision, decideApproval } from "./decide-approval.ts";

/**
 * Takes a decision and answers like a run, with events if requested. The run continues to its end even if the client disconnects, so an
 * approved call is not left half done.
 */
export async function answerDecision(
  deps: PlatformDeps,
  registrations: Registrations,
  { tenant, request, call }: { tenant: TenantActor; request: Request; call: Call },
  decision: Omit<Decision, "stream">,
): Promise<RunAnswer | Response> {
  holdOpen(call, request);
  const stream = wantsEvents(request);
  const run = await decideApproval(deps, registrations, tenant, { ...decision, stream });
  if (!stream) return answerOf(await lastOutcome(performRun(deps, run)));
  const { invocationId } = run;
  const { items, ended } = readAlong(performRun(deps, run));
  deps.outlives(ended);
  const frames = async function* () {
    yield terminalFrame(invocationId, yield* items);
  };
  return runEvents(deps, { invocationId, frames }, { request, call });
}
