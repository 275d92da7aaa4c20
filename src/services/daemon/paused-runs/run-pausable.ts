import { agentsWithin, callsAgents, mayBeAsked, mayPause } from "../../../engine/agents/agents-within.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { KeptSteps } from "../../../engine/approvals/kept-steps.ts";
import { runWithApprovals } from "../../../engine/approvals/run-with-approvals.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { EngineRequest } from "../../../engine/run-state/run-request.ts";
import type { Logger } from "../../../kit/log.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { awaiting, logWaiting, newApproval, type PausedRuns } from "./paused-runs.ts";
import { insertApproval } from "./store.ts";

/** Agents of a run that may have to wait for a person or for its caller; undefined if none of them can. */
export function pausableAgents(
  { catalog }: { catalog: AgentCatalog },
  agent: RunnableAgent,
): RunnableAgent[] | undefined {
  // Most agents call no other: there is no graph to walk for each run.
  if (!callsAgents(agent)) return canWait(agent) ? [agent] : undefined;
  const agents = agentsWithin(agent, (name) => catalog.findEntry(name)?.agent);
  return agents.some(canWait) ? agents : undefined;
}

/** Returns true if a run of the agent needs a person or its caller, or lets servers ask a person. */
export const canWait = (agent: RunnableAgent) => mayPause(agent) || mayBeAsked(agent);

/** Runs an agent. If a call needs a person or the caller, stores the run and throws the error of `awaiting`. */
export async function* runPausable(
  deps: { runs: RunPorts; version: string; log: Logger },
  pausedRuns: PausedRuns,
  agents: readonly RunnableAgent[],
  agent: RunnableAgent,
  sent: EngineRequest,
  steps?: KeptSteps,
): AsyncGenerator<RunEvent, void> {
  const request = { begunAtMs: deps.runs.clock.now().getTime(), ...sent };
  const fingerprint = fingerprintOf(deps.version, agents);
  const paused = yield* runWithApprovals(deps.runs, agent, request, undefined, steps);
  if (paused === undefined) return;
  const approval = newApproval(pausedRuns, { agent: agent.name, fingerprint }, request, paused);
  await insertApproval(pausedRuns.storage, request.tenant, approval);
  logWaiting(deps.log, approval, paused.pending);
  throw awaiting(approval, paused.pending);
}

/** Hash of the program version and the agents of a run. A paused run can resume only while its fingerprint is the same. */
export function fingerprintOf(version: string, agents: readonly RunnableAgent[]): string {
  const hash = new Bun.CryptoHasher("sha256").update(version);
  for (const { name, manifest } of agents) hash.update(`\n${name}\n${textOf(manifest)}`);
  return hash.digest("hex");
}

/** Texts of manifests. Each run with a person's decision or with steps needs them. */
const texts = new WeakMap<object, string>();

function textOf(manifest: object): string {
  const known = texts.get(manifest) ?? JSON.stringify(manifest);
  texts.set(manifest, known);
  return known;
}
