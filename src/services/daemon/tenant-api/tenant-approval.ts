import type { RuntimeFrame } from "../../../contracts/runtime/client.ts";
import type { RuntimeDecision } from "../../../contracts/runtime/runs.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { AppError } from "../../../kit/app-error.ts";
import { readDecision, requirePending } from "../approvals/decide-approval.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { PausedRuns } from "../paused-runs/paused-runs.ts";
import { holdMs, resumeRun } from "../paused-runs/resume-run.ts";
import { fingerprintOf } from "../paused-runs/run-pausable.ts";
import type { ApprovalRow } from "../paused-runs/schema.ts";
import { claimApproval, closeRejected, findApprovalOfOthers } from "../paused-runs/store.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";
import { agentsOf, type FrameReader, framesOf, runsWithin } from "./tenant-run.ts";

/**
 * Decides a call that a tenant's run waits for, and resumes the run as `run_id`. Throws AppError `approval_not_found`, `approval_expired`,
 * `approval_decided`, `agent_not_found` if the agent must be registered first, or `agent_changed`. If the agent has changed, a rejection
 * closes the call.
 */
export async function decideTenantApproval(
  deps: RuntimeDeps,
  id: string,
  given: RuntimeDecision,
  reader: Required<FrameReader>,
): Promise<AsyncGenerator<RuntimeFrame, void>> {
  const pausedRuns = deps.approvals;
  const row = pausedRuns && (await findApprovalOfOthers(pausedRuns.storage, operatorTenant, id));
  if (pausedRuns === undefined || row === undefined) {
    throw new AppError("not_found", "approval_not_found", "There is no approval with this id.");
  }
  requirePending(row, pausedRuns.clock.now());
  const currentAgent = deps.agents.findCurrent(row.tenant, row.agent);
  if (currentAgent === undefined) {
    throw new AppError("not_found", "agent_not_found", "The agent of this approval is not registered.");
  }
  const { agent } = currentAgent;
  const within = agentsOf(deps, row.tenant, agent);
  const fingerprint = fingerprintOf(deps.version, within);
  if (fingerprint !== row.fingerprint) {
    if (given.verdict === "rejected") await close(pausedRuns, row, given.comment);
    throw agentChanged();
  }
  const decision = readDecision(pausedRuns, row, given);
  const { tenant } = row;
  const runs = runsWithin(deps, tenant, within);
  const framed = { tenant, runs, runId: given.run_id, beside: given, isResumed: true };
  return framesOf(deps, framed, reader, async function* (runs, terms) {
    const claimed = await claim(pausedRuns, row, given);
    const decider = { stream: given.stream, ...reader };
    const going = { row: claimed, agent, decision, decider, terms, leave: () => {} };
    yield* resumeRun({ ...deps, runs }, pausedRuns, going) as AsyncIterable<RunEvent>;
  });
}

async function claim(pausedRuns: PausedRuns, row: ApprovalRow, given: RuntimeDecision): Promise<ApprovalRow> {
  const now = pausedRuns.clock.now();
  const claimed = await claimApproval(pausedRuns.storage, row.tenant, row.id, {
    status: given.verdict,
    comment: given.comment === undefined ? null : pausedRuns.vault.seal("comment", given.comment, row),
    owner: pausedRuns.owner,
    now,
    heldUntil: new Date(now.getTime() + holdMs),
  });
  if (claimed !== undefined) return claimed;
  throw new AppError("conflict", "approval_decided", "Another decision on this approval was first.");
}

async function close(pausedRuns: PausedRuns, row: ApprovalRow, text: string | undefined): Promise<void> {
  const comment = text === undefined ? null : pausedRuns.vault.seal("comment", text, row);
  await closeRejected(pausedRuns.storage, row.tenant, row.id, { now: pausedRuns.clock.now(), comment });
}

function agentChanged(): AppError {
  return new AppError(
    "conflict",
    "agent_changed",
    "The agent or one of its sub-agents has changed since the run paused, so the run can't resume.",
  );
}
