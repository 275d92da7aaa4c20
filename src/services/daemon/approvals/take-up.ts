import type { GoAhead } from "../../../engine/approvals/paused-run.ts";
import type { RunEvent } from "../../../engine/run/run-event.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { DaemonDeps } from "../deps.ts";
import { agentFor } from "../runs/agent-for.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import type { Decider } from "./decide-approval.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { goOn, holdMs } from "./go-on.ts";
import { pausableAgents } from "./run-pausable.ts";
import type { ApprovalRow } from "./schema.ts";
import { type Claim, claimApproval } from "./store.ts";

/** A decision or a tool result, and the request that brought it. */
export type Taking = GoAhead & Pick<Claim, "status" | "comment"> & { decider: Decider };

/**
 * Claims a paused run and resumes it. The run continues to its end even if the client disconnects. Returns undefined if another request
 * claimed it first. Throws AppError `too_busy` if there is no place; then nothing is claimed.
 */
export async function takeUp(
  deps: DaemonDeps,
  desk: ApprovalDesk,
  { row, agent }: { row: ApprovalRow; agent: RunnableAgent },
  { status, comment, ...taking }: Taking,
): Promise<AsyncIterable<RunEvent> | undefined> {
  const leave = await deps.gate.enter(taking.decider.signal);
  let claimed: ApprovalRow | undefined;
  try {
    const now = desk.clock.now();
    const heldUntil = new Date(now.getTime() + holdMs);
    const claim = { status, comment, owner: desk.owner, now, heldUntil };
    claimed = await claimApproval(desk.storage, row.tenant, row.id, claim);
  } catch (thrown) {
    leave();
    throw thrown;
  }
  if (claimed === undefined) {
    leave();
    return undefined;
  }
  return goOn(deps, desk, { ...taking, row: claimed, agent, leave });
}

/** Returns the agent if it and the agents that work for it are the same as when the run began; otherwise undefined. */
export function sameAgent(
  deps: DaemonDeps,
  { vault }: ApprovalDesk,
  row: ApprovalRow,
): RunnableAgent | undefined {
  if (deps.catalog.findEntry(row.agent) === undefined) return undefined;
  // The original caller was allowed to override the agent. The fingerprint below checks that the agent is still the same.
  const agent = agentFor(deps, row.agent, vault.open("run", row)?.request.override, "owner");
  const agents = pausableAgents(deps, agent);
  return agents !== undefined && fingerprintOf(deps.version, agents) === row.fingerprint ? agent : undefined;
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
