import { agentsWithin, mayPause } from "../../../engine/agents/agents-within.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { runDurably } from "../../../engine/approvals/run-durably.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import { runAgent } from "../../../engine/run/run-agent.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { EngineRequest } from "../../../engine/run-state/run-request.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { OverriddenAgents } from "../agents/overridden-agents.ts";
import type { CanaryRuns } from "../canary/canary-runs.ts";
import { record } from "../cassettes/record.ts";
import type { CassettePorts } from "../cassettes/replay-cassette.ts";
import type { CallerRuns, KeptRun } from "../durable-runs/caller-runs.ts";
import type { KeepSteps } from "../durable-runs/durable-runs.ts";
import type { PausedRuns } from "../paused-runs/paused-runs.ts";
import { canWait, fingerprintOf, pausableAgents, runPausable } from "../paused-runs/run-pausable.ts";
import type { BackgroundPools } from "./background-pools.ts";
import type { LocatedAgent } from "./locate-agent.ts";
import { routeRun } from "./route-run.ts";
import type { AdmittedRequest, RunRouter } from "./run-router.ts";
import { type SentRun, sentRun } from "./sent-run.ts";

/** Dependencies of runs for callers of the daemon's API. */
export interface RunDeps {
  version: string;
  clock: Clock;
  newId: NewId;
  log: Logger;
  catalog: AgentCatalog;
  overridden: OverriddenAgents;
  /** Limits the number of concurrent runs. */
  gate: AdmissionGate;
  /** Further limits runs that nobody waits for. */
  pools: BackgroundPools;
  /** Aborts when the time for a graceful stop is over; running work is cancelled. */
  stopping: AbortSignal;
  runs: RunPorts;
  /** True if traces of all runs keep question and answer, unless a request says otherwise. */
  recordsContent: boolean;
  cassettes: CassettePorts;
  /** Undefined without sealing keys. In that case no agent that could need it is loaded. */
  approvals: PausedRuns | undefined;
  /** The other nodes; undefined if this daemon works alone. */
  router: RunRouter | undefined;
  /** Undefined for runs that are pinned to versions. */
  canaries: CanaryRuns | undefined;
  /** Runs that outlive their process. */
  callers: Pick<CallerRuns, "events">;
}

/**
 * Runs an agent on this node or on another, and records the run if requested. A run with a key, or one that outlives its process, is kept.
 * Throws `too_busy` if all places and the waiting queue are full.
 */
export function admitRun(
  deps: RunDeps,
  agent: LocatedAgent,
  request: AdmittedRequest,
  isRecorded = false,
): AsyncGenerator<RunEvent, void> {
  const { key, outlives = false } = request;
  if (key === undefined && !outlives) return placeRun(deps, agent, request, isRecorded);
  return deps.callers.events(
    {
      key: key && { ...key, asked: key.isShared ? () => identityOf(agent, request, isRecorded) : undefined },
      agent: agent.name,
      sessionId: request.sessionId,
      bundles: request.bundles,
      // What a recording or stubs answered is not stored with the steps.
      request: isRecorded || request.toolStubs ? undefined : () => sentRun(agent, request, false),
      signal: () => AbortSignal.any([...request.cancelledBy]),
    },
    (kept, isDetached) => {
      const sent = isDetached ? { ...request, cancelledBy: [deps.stopping] } : request;
      return placeRun(deps, agent, sent, isRecorded, kept);
    },
  );
}

/** What makes two requests with one key the same. */
function identityOf(agent: LocatedAgent, request: AdmittedRequest, isRecorded: boolean): Partial<SentRun> {
  const { request_id: _, stream: __, session_id, ...same } = sentRun(agent, request, isRecorded);
  return request.isNewSession ? same : { ...same, session_id };
}

/** Runs an agent on this node or on another. With `kept`, the run's steps are stored. */
export function placeRun(
  deps: RunDeps,
  agent: LocatedAgent,
  request: AdmittedRequest,
  isRecorded: boolean,
  kept?: KeptRun,
): AsyncGenerator<RunEvent, void> {
  const { router } = deps;
  if (router === undefined) return admitHere(deps, agent, request, isRecorded, kept?.keep);
  const performHere = (placed: AdmittedRequest) => admitHere(deps, agent, placed, isRecorded, kept?.keep);
  return routeRun(router, agent, request, { performHere, isRecorded, kept });
}

/** Runs an agent on this node when a place is free. Throws `agent_not_found` if only other nodes have it. */
export function admitHere(
  deps: RunDeps,
  { name, loaded, terms }: LocatedAgent,
  request: EngineRequest,
  isRecorded: boolean,
  keep?: KeepSteps,
): AsyncGenerator<RunEvent, void> {
  const located = loaded ?? deps.catalog.getNow(name);
  // An override is of one version: the one in service, or the one that it names.
  const chosen = terms.override === undefined ? deps.canaries?.choose(name, request) : undefined;
  if (deps.canaries === undefined || chosen === undefined)
    return enterAndRun(deps, located, request, isRecorded, keep);
  const agent = terms.format === undefined ? chosen.agent : { ...chosen.agent, structured: terms.format };
  const pinned = { ...request, version: chosen.fingerprint };
  return deps.canaries.observe(chosen, request, enterAndRun(deps, agent, pinned, isRecorded, keep));
}

async function* enterAndRun(
  deps: RunDeps,
  agent: RunnableAgent,
  request: EngineRequest,
  isRecorded: boolean,
  keep?: KeepSteps,
): AsyncGenerator<RunEvent, void> {
  const [caller] = request.cancelledBy;
  caller?.throwIfAborted();
  const leavePool = await deps.pools.enter(request.source, () => caller);
  let leave = () => {};
  try {
    leave = deps.gate.tryEnter() ?? (await deps.gate.enter(caller));
    yield* keep === undefined
      ? begin(deps, agent, request, isRecorded)
      : beginDurably(deps, agent, request, keep);
  } finally {
    leave();
    leavePool?.();
  }
}

function begin(
  deps: RunDeps,
  agent: RunnableAgent,
  request: EngineRequest,
  isRecorded: boolean,
): AsyncGenerator<RunEvent, void> {
  // A run with stubs never pauses: they are not stored, so a resumed run would carry out the calls.
  const mayWait = request.toolStubs === undefined;
  const agents = mayWait ? deps.approvals && pausableAgents(deps, agent) : undefined;
  if (deps.approvals === undefined || agents === undefined) {
    return isRecorded ? record(deps, agent, request) : runAgent(deps.runs, agent, request);
  }
  if (isRecorded) {
    if (agents.some(mayPause)) throw notRecordable(agent);
    // Servers get no answers to questions, which a replay could not repeat.
    return record(deps, agent, request);
  }
  return runPausable(deps, deps.approvals, agents, agent, request);
}

async function* beginDurably(
  deps: RunDeps,
  agent: RunnableAgent,
  request: EngineRequest,
  keep: KeepSteps,
): AsyncGenerator<RunEvent, void> {
  const within = agentsWithin(agent, (name) => deps.catalog.findEntry(name)?.agent);
  const steps = await keep(() => fingerprintOf(deps.version, within));
  try {
    yield* deps.approvals !== undefined && within.some(canWait)
      ? runPausable(deps, deps.approvals, within, agent, request, steps)
      : runDurably(deps.runs, agent, request, steps);
  } finally {
    await steps.close();
  }
}

function notRecordable({ name }: RunnableAgent): AppError {
  const message = `A run of agent ${name} may wait for a person or its caller, and such runs can't be recorded.`;
  return new AppError("unprocessable", "run_not_recordable", message, {
    details: {
      hint: "Omit `record`, or remove `requires_approval` and tools of type `client` from the agent.",
    },
  });
}
