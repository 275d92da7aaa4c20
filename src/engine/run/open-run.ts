import { usualSource } from "../../contracts/daemon/runs/run-sources.ts";
import type { RunnableAgent } from "../agents/runnable-agent.ts";
import { HeldText } from "../run-state/held-text.ts";
import { ProposalList } from "../run-state/proposal-list.ts";
import { type EngineRequest, sourceOf } from "../run-state/run-request.ts";
import { newRunState } from "../run-state/run-state.ts";
import type { Allowance } from "../spending/allowance.ts";
import { createTokenAllowance } from "../spending/token-allowance.ts";
import { TraceRecorder } from "../telemetry/trace-recorder.ts";
import { toldTurns } from "./memory/told-turns.ts";
import { portsFor } from "./own-secrets.ts";
import type { ParentRun, Run, RunPorts } from "./run.ts";

/** Context of a run in addition to its request. */
export type RunContext = Pick<Run, "parent" | "signal" | "startInside">;

/** Creates a run and starts its trace. */
export function openRun(
  ports: RunPorts,
  agent: RunnableAgent,
  request: EngineRequest,
  { parent, signal, startInside }: RunContext,
): Run {
  const attributes: Record<string, unknown> = { agent: agent.name, session: request.sessionId };
  if (request.routedFrom !== undefined) attributes.routed_from = request.routedFrom;
  if (parent === undefined && request.trigger) attributes.trigger = request.trigger;
  if (parent === undefined && sourceOf(request) !== usualSource) attributes.source = sourceOf(request);
  if (request.override) attributes.overridden = Object.keys(request.override);
  if (parent === undefined && request.traceParent) {
    // The run's trace keeps an id of its own, because a caller may start several runs in one trace.
    attributes.parent_trace = request.traceParent.traceId;
    attributes.parent_span = request.traceParent.spanId;
  }
  return {
    ports: portsFor(ports, agent),
    agent,
    request,
    parent,
    state: newRunState([]),
    trace:
      parent === undefined
        ? new TraceRecorder(ports.clock, traceIdOf(ports, agent, request), "agent.run", attributes)
        : parent.trace.nest("agent.run", attributes, parent.span),
    signal,
    begunAtMs: parent?.run.begunAtMs ?? request.begunAtMs ?? ports.clock.now().getTime(),
    allowances: allowancesOf(ports, agent, request, parent),
    proposals: parent?.proposals ?? new ProposalList(),
    held: parent?.run.held ?? new HeldText(),
    interceptor: request.interceptor,
    recordsContent: request.traceContent ?? agent.tracing.recordContent,
    query: request.query,
    history: request.history,
    told: toldTurns(request),
    passages: [],
    response: "",
    toolCalls: [],
    inputRedacted: false,
    outputFiltered: false,
    withinBudget: true,
    structured: undefined,
    chain: undefined,
    chainMs: 0,
    startInside,
  };
}

function traceIdOf({ newId }: RunPorts, agent: RunnableAgent, { interceptor }: EngineRequest): string {
  return interceptor?.newId({ agent: agent.name }, newId) ?? newId();
}

/** Limits on the run's usage: those of the parent run, the caller's, the agent's own, and its budget. */
function allowancesOf(
  { budgetOf }: RunPorts,
  { name, maxRunTokens }: RunnableAgent,
  { tenant, limits, interceptor }: EngineRequest,
  parent: ParentRun | undefined,
): readonly Allowance[] {
  const none = Number.POSITIVE_INFINITY;
  const tokensMax = Math.min(limits?.totalTokens ?? none, maxRunTokens ?? none);
  const own = budgetOf(tenant, name);
  const budget = interceptor === undefined ? own : interceptor.budget({ agent: name }, own);
  const allowances = parent === undefined ? [] : [...parent.allowances];
  if (tokensMax < none) allowances.push(createTokenAllowance(tokensMax));
  if (budget !== undefined) allowances.push(budget);
  return allowances;
}
