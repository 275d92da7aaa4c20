import type { RunOverride } from "../../../contracts/daemon/runs/run-override.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { GoAhead } from "../../../engine/approvals/paused-run.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { agentFor, type OverriddenAgents } from "../agents/overridden-agents.ts";
import type { SealedRun } from "./approval-vault.ts";
import type { PausedRuns } from "./paused-runs.ts";
import { type Decider, holdMs, type ResumeDeps, resumeRun } from "./resume-run.ts";
import { fingerprintOf, pausableAgents } from "./run-pausable.ts";
import type { ApprovalRow } from "./schema.ts";
import { claimApproval, type RunClaim } from "./store.ts";

/** Dependencies for claiming paused runs. */
export interface ClaimDeps extends ResumeDeps {
  version: string;
  catalog: AgentCatalog;
  overridden: OverriddenAgents;
  gate: AdmissionGate;
}

/** A decision or a tool result, and the request that brought it. */
export type ClaimReason = GoAhead & Pick<RunClaim, "status" | "comment"> & { decider: Decider };

/**
 * Claims a paused run and resumes it. The run continues to its end even if the client disconnects. Returns undefined if another request
 * claimed it first. Throws AppError `too_busy` if there is no place; then nothing is claimed.
 */
export async function claimRun(
  deps: ClaimDeps,
  pausedRuns: PausedRuns,
  { row, agent }: { row: ApprovalRow; agent: RunnableAgent },
  { status, comment, ...given }: ClaimReason,
): Promise<AsyncIterable<RunEvent> | undefined> {
  const leave = await deps.gate.enter(given.decider.signal);
  let claimed: ApprovalRow | undefined;
  try {
    const now = pausedRuns.clock.now();
    const heldUntil = new Date(now.getTime() + holdMs);
    const claim = { status, comment, owner: pausedRuns.owner, now, heldUntil };
    claimed = await claimApproval(pausedRuns.storage, row.tenant, row.id, claim);
  } catch (thrown) {
    leave();
    throw thrown;
  }
  if (claimed === undefined) {
    leave();
    return undefined;
  }
  return resumeRun(deps, pausedRuns, { ...given, row: claimed, agent, leave });
}

/** Returns the agent if it and the agents that work for it are the same as when the run began; otherwise undefined. */
export async function sameAgent(
  deps: ClaimDeps,
  { vault }: PausedRuns,
  row: ApprovalRow,
): Promise<RunnableAgent | undefined> {
  if ((await deps.catalog.findFresh(row.agent)) === undefined) return undefined;
  // The original caller was allowed to override the agent. The fingerprint below checks that the agent is still the same.
  const agent = agentFor(deps, row.agent, overrideIn(vault.open("run", row)), "owner");
  const agents = pausableAgents(deps, agent);
  return agents !== undefined && fingerprintOf(deps.version, agents) === row.fingerprint ? agent : undefined;
}

/** Returns the changes of the run, with the version that it began on if the agent had more than one. */
function overrideIn(kept: SealedRun | undefined): RunOverride | undefined {
  const { override, version } = kept?.request ?? {};
  return version === undefined ? override : { ...override, version };
}

/** Creates the error for a run that can't resume because its agents changed; `hint` says what to do. */
export function agentChanged({ agent }: ApprovalRow, hint: string): AppError {
  return new AppError(
    "conflict",
    "agent_changed",
    `Agent ${agent}, one of its sub-agents, or Argosy has changed since the run paused, so the run can't resume.`,
    { details: { hint } },
  );
}
