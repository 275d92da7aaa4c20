import type { RunnableAgent } from "../agents/runnable-agent.ts";
import { ProposalList } from "../run-state/proposal-list.ts";
import type { RunRequest } from "../run-state/run-request.ts";
import { newRunState } from "../run-state/run-state.ts";
import type { Allowance } from "../spending/allowance.ts";
import { createTokenAllowance } from "../spending/token-allowance.ts";
import { TraceRecorder } from "../telemetry/trace-recorder.ts";
import { portsFor } from "./own-secrets.ts";
import type { ParentRun, Run, RunPorts } from "./run.ts";

/** Context of a run in addition to its request. */
export type RunFrame = Pick<Run, "parent" | "signal" | "startInside">;

/** Creates a run and starts its trace. */
export function openRun(
  ports: RunPorts,
  agent: RunnableAgent,
  request: RunRequest,
  { parent, signal, startInside }: RunFrame,
): Run {
  const attributes = {
    agent: agent.name,
    session: request.sessionId,
    ...(request.routedFrom !== undefined && { routed_from: request.routedFrom }),
    ...(request.override && { overridden: Object.keys(request.override) }),
    ...(parent === undefined && traceLink(request)),
  };
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
    allowances: allowancesOf(ports, agent, request, parent),
    proposals: parent?.proposals ?? new ProposalList(),
    interceptor: request.interceptor,
    recordsContent: request.traceContent ?? agent.tracing.recordContent,
    query: request.query,
    history: request.history,
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

function traceIdOf({ newId }: RunPorts, agent: RunnableAgent, { interceptor }: RunRequest): string {
  return interceptor?.newId({ agent: agent.name }, newId) ?? newId();
}

/** The caller's trace and span. The run's trace keeps an id of its own, because a caller may start several runs in one trace. */
const traceLink = ({ traceParent }: RunRequest) =>
  traceParent && { parent_trace: traceParent.traceId, parent_span: traceParent.spanId };

/** Limits on the run's usage: those of the parent run, the caller's, the agent's own, and its budget. */
function allowancesOf(
  { budgetOf }: RunPorts,
  { name, maxRunTokens }: RunnableAgent,
  { tenant, limits, interceptor }: RunRequest,
  parent: ParentRun | undefined,
): readonly Allowance[] {
  const limit = [limits?.totalTokens, maxRunTokens].filter((tokens) => tokens !== undefined);
  const own = budgetOf(tenant, name);
  const budget = interceptor === undefined ? own : interceptor.budget({ agent: name }, own);
  return [
    ...(parent?.allowances ?? []),
    ...(limit.length === 0 ? [] : [createTokenAllowance(Math.min(...limit))]),
    ...(budget === undefined ? [] : [budget]),
  ];
}
