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

/** What came, and who brought it. */
export type Taking = GoAhead & Pick<Claim, "status" | "comment"> & { decider: Decider };

/**
 * Claims a paused run for what came, the first alone, and lets it go on with it, to its end whoever reads its events. Undefined:
 * somebody was first. Throws AppError `too_busy` when there is no place; then nothing is claimed.
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

/** The agent as it was when the run began; undefined when it, or one that works for it, is another now or gone. */
export function sameAgent(
  deps: DaemonDeps,
  { vault }: ApprovalDesk,
  row: ApprovalRow,
): RunnableAgent | undefined {
  if (deps.catalog.findEntry(row.agent) === undefined) return undefined;
  // Who began the run was let to override it; that it is the same agent still is checked below.
  const agent = agentFor(deps, row.agent, vault.open("run", row)?.request.override, "owner");
  const agents = pausableAgents(deps, agent);
  return agents !== undefined && fingerprintOf(deps.version, agents) === row.fingerprint ? agent : undefined;
}

/** That a run can't go on as it began; `hint` says what to do. */
export function agentChanged({ agent }: ApprovalRow, hint: string): AppError {
  return new AppError(
    "conflict",
    "agent_changed",
    `Agent ${agent}, one that works for it, or Argosy itself has changed since the run paused: it can't go on as it began.`,
    { details: { hint } },
  );
}
