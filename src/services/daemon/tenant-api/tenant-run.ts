import type { RuntimeFrame } from "../../../contracts/runtime/client.ts";
import type {
  RunEnded,
  RuntimeApproval,
  RuntimeConnection,
  RuntimeLimits,
  RuntimeRun,
} from "../../../contracts/runtime/runs.ts";
import { agentsWithin } from "../../../engine/agents/agents-within.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { runDurably } from "../../../engine/approvals/run-durably.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import { runAgent } from "../../../engine/run/run-agent.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { EngineRequest, RunLimits } from "../../../engine/run-state/run-request.ts";
import type { RunMeans } from "../../../engine/tools/run-means.ts";
import { type AppError, toAppError } from "../../../kit/app-error.ts";
import { maskValues } from "../../../kit/secrets/mask-values.ts";
import { readTraceParent } from "../../../kit/trace-parent.ts";
import { outcomeUnknown } from "../durable-runs/durable-runs.ts";
import type { OpenSteps } from "../durable-runs/step-writer.ts";
import { awaitedIn } from "../paused-runs/paused-runs.ts";
import { canWait, fingerprintOf, runPausable } from "../paused-runs/run-pausable.ts";
import { findApproval } from "../paused-runs/store.ts";
import { imagesFor } from "../runs/images-for.ts";
import type { TenantAgent } from "./built-agents.ts";
import { endedOtherwise, endedWell } from "./run-ended.ts";
import { openTenantRun } from "./run-ports.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/** The client that reads the frames. */
export interface FrameReader {
  /** Aborts when the client disconnects. Absent for a reader of this process, which cancels the run by its id. */
  signal?: AbortSignal;
  requestId: string;
}

/** Fields of a run request besides the caller's own input. */
export interface Beside {
  owner?: string | undefined;
  connections?: Record<string, RuntimeConnection> | undefined;
  run_token?: string | undefined;
  traceparent?: string | undefined;
  provider_keys?: Record<string, string> | undefined;
  late_usage?: boolean | undefined;
  source?: RuntimeRun["source"];
  limits: RuntimeLimits;
}

/** A run whose frames are read. */
export interface FramedRun {
  tenant: string;
  /** Ports with the agents that may work in it. */
  runs: RunPorts;
  runId: string;
  beside: Beside;
  /** True if a person has decided on a call of it, or if it had called tools before it was interrupted. */
  isResumed?: boolean;
  /** Where a durable run keeps its steps. */
  steps?: OpenSteps;
}

/** Starts the events of a run with the given ports and request fields. */
export type BeginRun = (
  ports: RunPorts,
  request: Pick<EngineRequest, "cancelledBy" | "means" | "limits">,
) => AsyncIterable<RunEvent>;

/** Runs a tenant's agent. Throws AppError `too_busy` before the first frame. Later outcomes, including failures, are in the last frame. */
export function runTenantAgent(
  deps: RuntimeDeps,
  found: TenantAgent,
  run: RuntimeRun,
  reader: FrameReader,
): AsyncGenerator<RuntimeFrame, void> {
  const { tenant } = found;
  const agent =
    found.keys === undefined ? found.agent : deps.withKeys(tenant, found.agent, run.provider_keys ?? {});
  const within = agentsOf(deps, tenant, agent);
  const framed: FramedRun = {
    tenant,
    runs: runsWithin(deps, tenant, within),
    runId: run.run_id,
    beside: run,
  };
  const begin = (steps: OpenSteps | undefined): BeginRun => {
    return (ports, terms) => {
      const request: EngineRequest = {
        tenant,
        sessionId: run.session_id,
        query: run.query,
        context: run.context,
        ...imagesFor(agent, run.images),
        ...(run.turns && { turns: run.turns }),
        stream: run.stream,
        requestId: reader.requestId,
        ...(run.trace_content !== undefined && { traceContent: run.trace_content }),
        ...(run.traceparent !== undefined && { traceParent: readTraceParent(run.traceparent) }),
        ...(run.tool_stubs && { toolStubs: run.tool_stubs }),
        ...(run.remember && { remember: run.remember }),
        ...(run.source && { source: run.source }),
        ...terms,
      };
      // A run with stubs never pauses, as in the daemon.
      const mayPause = run.tool_stubs === undefined && within.some(canWait);
      if (deps.approvals !== undefined && mayPause)
        return runPausable({ ...deps, runs: ports }, deps.approvals, within, agent, request, steps);
      return steps === undefined ? runAgent(ports, agent, request) : runDurably(ports, agent, request, steps);
    };
  };
  if (run.durable === undefined) return framesOf(deps, framed, reader, begin(undefined));
  const key = { tenant, runId: run.run_id };
  const fingerprint = () => fingerprintOf(deps.version, within);
  if (run.durable === "continue") return continued(deps, framed, reader, { agent, fingerprint, begin });
  const steps = deps.durable.begin(key, fingerprint, { left: reader.signal });
  return framesOf(deps, { ...framed, steps }, reader, begin(steps));
}

/** The frames of a run whose process is dead, from where its stored steps end. */
async function* continued(
  deps: RuntimeDeps,
  framed: FramedRun,
  reader: FrameReader,
  {
    agent,
    fingerprint,
    begin,
  }: { agent: RunnableAgent; fingerprint: () => string; begin: (steps: OpenSteps) => BeginRun },
): AsyncGenerator<RuntimeFrame, void> {
  const { tenant, runId } = framed;
  const { steps, used, unknown, hasActed } = await deps.durable.takeOver(
    { tenant, runId },
    fingerprint,
    reader.signal,
  );
  const about = { tenant, agent: agent.name, sessionId: "", pattern: agent.pattern.name, latencyMs: 0 };
  yield* framesOf(deps, { ...framed, steps, isResumed: hasActed }, reader, async function* (ports, terms) {
    const at = deps.clock.now();
    ports.usage.record(used.map((call) => ({ ...about, at, ...call })));
    if (unknown.length > 0) throw outcomeUnknown(unknown);
    yield* begin(steps)(ports, terms);
  });
}

/** Returns the agent and all agents that may work for it. */
export function agentsOf({ agents }: RuntimeDeps, tenant: string, agent: RunnableAgent): RunnableAgent[] {
  return agentsWithin(agent, (name) => agents.built.find(tenant, name)?.agent);
}

/**
 * What runs use, with the agents as they are now. A run was admitted with the prices of their models: one that is registered anew
 * while it waits or works, with a dearer model perhaps, is for later runs.
 */
export function runsWithin(
  { runs }: Pick<RuntimeDeps, "runs">,
  tenant: string,
  within: readonly RunnableAgent[],
): RunPorts {
  const agents = new Map(within.map((agent) => [agent.name, agent]));
  return { ...runs, findAgent: (of, name) => (of === tenant ? agents.get(name) : undefined) };
}

/** The frames of any run of a tenant, the last of them `ended`, told once everything inside it has said what it used. */
export async function* framesOf(
  deps: RuntimeDeps,
  { tenant, runs, runId, beside, isResumed, steps }: FramedRun,
  reader: FrameReader,
  begin: BeginRun,
): AsyncGenerator<RuntimeFrame, void> {
  const { clock, cancels, gate, log, owners } = deps;
  owners.told(tenant, beside.owner);
  const startedMs = clock.monotonicMs();
  const connections = beside.connections ?? {};
  const entered = cancels.enter(runId);
  const cancelledBy = [entered.signal, ...(reader.signal ? [reader.signal] : []), deps.stopping];
  const run = openTenantRun(deps, runs, tenant, beside, isResumed);
  const figures = () => ({
    ...run.close(),
    ...(steps?.isKept && { steps_kept: true }),
    duration_ms: Math.round((clock.monotonicMs() - startedMs) * 1000) / 1000,
  });
  let leave = () => {};
  let leavePool = () => {};
  let last: (() => RunEnded) | undefined;
  try {
    for (const signal of cancelledBy) signal.throwIfAborted();
    // Joining signals costs more than entering, and only a run that waits needs it.
    const owner = owners.of(tenant);
    const pool = deps.pools.enter(beside.source, () => AbortSignal.any(cancelledBy), owner);
    if (pool !== undefined) leavePool = await pool;
    leave = gate.tryEnter(owner) ?? (await gate.enter(AbortSignal.any(cancelledBy), owner));
    const means = meansOf(deps, connections, beside);
    for await (const event of begin(run.ports, { cancelledBy, means, limits: limitsOf(beside.limits) })) {
      if (event.type === "tokens") for (const content of event.contents) yield { type: "token", content };
      else if (event.type !== "done") yield event;
      else last = () => endedWell(event.result, figures());
    }
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "too_busy") throw error;
    if (error.kind === "internal") log.error("run.failed", { request_id: reader.requestId, err: thrown });
    const approval = await askedIn(deps, tenant, error, run.ports.maskKnown);
    const isStopping = deps.stopping.aborted && !entered.signal.aborted;
    last = () => endedOtherwise(error, figures(), { approval, isStopping });
  } finally {
    leave();
    leavePool();
    entered.leave();
    await steps?.close();
  }
  await run.quiet();
  if (last === undefined) return;
  const ended = last();
  yield ended;
  if (ended.usage_awaited !== true) return;
  const usage = await run.corrected();
  if (usage !== undefined) yield { type: "corrected", usage };
}

/** Returns the call that a paused run waits for; undefined for any other error. */
async function askedIn(
  { approvals }: RuntimeDeps,
  tenant: string,
  error: AppError,
  mask: (text: string) => string = (text) => text,
): Promise<RuntimeApproval | undefined> {
  const awaited = awaitedIn(error);
  const id = awaited?.status === "awaiting_approval" ? awaited.approval_id : undefined;
  const row = approvals && id && (await findApproval(approvals.storage, tenant, id));
  const asked = row ? approvals.vault.open("asked", row) : undefined;
  if (!row || asked === undefined) return undefined;
  return {
    ...(asked.agent === row.agent ? {} : { agent: asked.agent }),
    tool: asked.tool,
    input: maskValues(asked.input, mask) as Record<string, unknown>,
    ...(asked.question && { question: asked.question }),
  };
}

function limitsOf({ total_tokens, call_tokens, iterations, timeout_ms }: RuntimeLimits): RunLimits {
  return {
    timeoutMs: timeout_ms,
    ...(total_tokens === undefined ? {} : { totalTokens: total_tokens }),
    ...(call_tokens === undefined ? {} : { callTokens: call_tokens }),
    ...(iterations === undefined ? {} : { iterations }),
  };
}

function meansOf(
  deps: RuntimeDeps,
  connections: Record<string, RuntimeConnection>,
  { run_token: token, traceparent }: Beside,
): RunMeans {
  const send = deps.sendMessage();
  return {
    connection(name) {
      const found = Object.hasOwn(connections, name) ? connections[name] : undefined;
      if (found === undefined) return undefined;
      return { material: found.material, ...(found.base_url && { baseUrl: found.base_url }) };
    },
    ...(send &&
      token !== undefined && {
        send: (message, signal) => send(token, message, signal, traceparent),
      }),
  };
}
