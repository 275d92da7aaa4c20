import { agentsWithin, mayPause } from "../../../engine/agents/agents-within.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { runWithApprovals } from "../../../engine/approvals/run-with-approvals.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { RunRequest } from "../../../engine/run-state/run-request.ts";
import type { DaemonDeps } from "../deps.ts";
import { type ApprovalDesk, awaiting, logWaiting, newApproval } from "./approval-desk.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { insertApproval } from "./store.ts";

/** Agents of a run that may have to wait for a person or for its caller; undefined if none of them can. */
export function pausableAgents(deps: DaemonDeps, agent: RunnableAgent): RunnableAgent[] | undefined {
  const agents = agentsWithin(agent, (name) => deps.catalog.findEntry(name)?.agent);
  return agents.some(mayPause) ? agents : undefined;
}

/** Runs an agent. If a call needs a person or the caller, stores the run and throws the error of `awaiting`. */
export async function* runPausable(
  deps: Pick<DaemonDeps, "runs" | "version" | "log">,
  desk: ApprovalDesk,
  agents: readonly RunnableAgent[],
  agent: RunnableAgent,
  request: RunRequest,
): AsyncGenerator<RunEvent, void> {
  const fingerprint = fingerprintOf(deps.version, agents);
  const paused = yield* runWithApprovals(deps.runs, agent, request);
  if (paused === undefined) return;
  const approval = newApproval(desk, { agent: agent.name, fingerprint }, request, paused);
  await insertApproval(desk.storage, request.tenant, approval);
  logWaiting(deps.log, approval, paused.pending);
  throw awaiting(approval, paused.pending);
}
