import type { RunResult } from "../../contracts/daemon/runs/run.ts";
import type { AppError } from "../../kit/app-error.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import { addDelegatedCost, addUsage, type RunState, totalCost, totalUsage } from "../run-state/run-state.ts";
import type { UsageRecord } from "../spending/usage-record.ts";
import { cleanTrace } from "../telemetry/clean-trace.ts";
import type { RunStatus } from "../telemetry/run-observer.ts";
import type { RecordedTrace } from "../telemetry/trace.ts";
import { roundMs, TraceRecorder } from "../telemetry/trace-recorder.ts";
import type { Run } from "./run.ts";

/** How a run ended: `code` and `reason` are the error's code and message, `blockedBy` the guardrail's type and stage. */
export interface RunEnding {
  status: RunStatus;
  code?: string;
  reason?: string;
  blockedBy?: Record<string, unknown> | undefined;
}

/** Status under which a run that ends with this error is counted; undefined if the run does not wait. */
export function waitingStatus({ code }: AppError): "awaiting_approval" | "awaiting_tool_result" | undefined {
  if (code === "approval_required") return "awaiting_approval";
  return code === "tool_result_required" ? "awaiting_tool_result" : undefined;
}

/** A run, or a tool that is executed outside of one. */
type Spender = Pick<Run, "agent" | "state" | "ports"> & {
  request: Pick<Run["request"], "tenant" | "sessionId">;
};

type FinishedRun = Extract<RunEvent, { type: "done" }>;

/** Finishes a run once, on success, failure and cancellation alike: writes metrics, trace and log, and returns the result. */
export function finishRun(run: Run, ending: RunEnding): FinishedRun {
  const { agent, request, state, trace, ports, parent } = run;
  const totalMs = trace.elapsedMs();
  // Metrics record the time of the answer, without the chain after it.
  const latencyMs = totalMs - run.chainMs;
  trace.root.set("status", ending.status);
  if (ending.code !== undefined) trace.root.set("error", ending.code);
  if (ending.reason !== undefined) trace.root.set("reason", ending.reason);
  if (ending.blockedBy !== undefined) trace.root.set("blocked_by", ending.blockedBy);
  if (run.recordsContent && run.response !== "") trace.root.set("output", ports.redact(run.response));
  if (state.simulated) trace.root.set("simulated", true);
  const finished = endTrace(run, isFault(ending) ? "ERROR" : "OK");
  recordUsage(run);
  const cost = totalCost(state);
  if (parent) {
    addUsage(parent.run.state.delegated, totalUsage(state));
    addDelegatedCost(parent.run.state, cost);
  }
  ports.observer.runFinished({
    agent: agent.name,
    sessionId: request.sessionId,
    pattern: agent.pattern.name,
    status: ending.status,
    latencyMs,
    overheadMs: Math.max(0, latencyMs - state.modelMs - state.toolMs),
    ...newTokens(state),
  });
  ports.log.info("run.finished", {
    agent: agent.name,
    status: ending.status,
    code: ending.code,
    latency_ms: roundMs(totalMs),
    trace_id: trace.traceId,
    request_id: request.requestId,
  });
  const result = resultOf(run, roundMs(totalMs));
  return {
    type: "done",
    result,
    get trace() {
      return finished?.();
    },
    finish: state.finish,
    usage: totalUsage(state),
    costMicros: cost,
  };
}

/**
 * Stores the trace of a top-level run if the agent enables it and sampling selects it; a nested run only ends its spans. The trace is
 * cleaned when it is stored or first read: most callers of an agent without tracing never read it.
 */
function endTrace(
  { agent, request, trace, ports, interceptor }: Run,
  status: "OK" | "ERROR",
): (() => RecordedTrace) | undefined {
  if (!(trace instanceof TraceRecorder)) {
    trace.close(status);
    return undefined;
  }
  const recorded = trace.finish(agent.name, request.sessionId, status);
  let cleaned: RecordedTrace | undefined;
  const finished = () => {
    cleaned ??= cleanTrace(recorded, ports.redact);
    return cleaned;
  };
  const { enabled, sampleRate } = agent.tracing;
  const chance = interceptor?.random({ agent: agent.name }, ports.random) ?? ports.random();
  if (enabled && chance < sampleRate) ports.traces.record(request.tenant, finished());
  else ports.traces.count?.(request.tenant, finished());
  return finished;
}

/** Records the usage of model calls once all of them have ended. */
export function recordUsage({ agent, request, state, ports }: Spender): void {
  const made = state.modelCalls.filter(({ played }) => played !== true);
  if (made.length === 0) return;
  const at = ports.clock.now();
  ports.usage.record(
    made.map(({ usage, provider, model, role, costMicros, latencyMs }) => {
      const { inputTokens, outputTokens, cachedTokens, writtenTokens, estimated } = usage;
      const record: UsageRecord = {
        tenant: request.tenant,
        agent: agent.name,
        sessionId: request.sessionId,
        pattern: agent.pattern.name,
        at,
        inputTokens,
        outputTokens,
        cachedTokens,
        estimated,
        provider,
        model,
        costMicros,
        latencyMs,
      };
      if (writtenTokens !== undefined) record.writtenTokens = writtenTokens;
      if (role !== undefined) record.role = role;
      return record;
    }),
  );
}

function isFault({ status }: RunEnding): boolean {
  return status !== "ok" && status !== "awaiting_approval" && status !== "awaiting_tool_result";
}

/** Tokens of this agent's own calls, without those made before the run paused, which were counted then. */
function newTokens({ usage, modelCalls }: RunState): { inputTokens: number; outputTokens: number } {
  let { inputTokens, outputTokens } = usage;
  for (const call of modelCalls) {
    if (call.played !== true) continue;
    inputTokens -= call.usage.inputTokens;
    outputTokens -= call.usage.outputTokens;
  }
  return { inputTokens, outputTokens };
}

function resultOf(run: Run, totalMs: number): RunResult {
  const { agent, request, state } = run;
  const { inputTokens, outputTokens } = totalUsage(state);
  const toolsCalled = [...new Set(run.toolCalls.map((call) => call.tool))];
  const guarded = agent.inputGuardrails.length + agent.outputGuardrails.length > 0;
  return {
    agent: agent.name,
    session_id: request.sessionId,
    response: run.response,
    tool_calls: run.toolCalls,
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    },
    timing: { total_ms: totalMs, model_ms: roundMs(state.modelMs), tool_ms: roundMs(state.toolMs) },
    model: state.model,
    provider: state.provider,
    metadata: {
      provider: state.provider,
      model: state.model,
      pattern: agent.pattern.name,
      iterations: state.iterations,
      tokens_used: inputTokens + outputTokens,
      latency_ms: totalMs,
      ...(toolsCalled.length > 0 ? { tools_called: toolsCalled } : {}),
      ...(guarded
        ? {
            guardrails: {
              input_pii_redacted: run.inputRedacted,
              output_filtered: run.outputFiltered,
              tokens_within_budget: run.withinBudget,
            },
          }
        : {}),
      ...sourcesOf(run),
      ...(state.simulated ? { simulated: true as const } : {}),
    },
    trace_id: run.trace.traceId,
    ...structuredOf(run),
    ...(run.chain === undefined ? {} : { chain: run.chain }),
    ...proposalsOf(run),
  };
}

/** For an agent with `knowledge`: the passages in its prompt, in the same order. */
function sourcesOf({ agent, passages }: Run): Pick<RunResult["metadata"], "sources"> {
  if (agent.recall?.knowledge === undefined) return {};
  return {
    sources: passages.map(({ score, citation: { documentId, chunk, start, end } }) => ({
      document_id: documentId,
      chunk,
      start,
      end,
      score,
    })),
  };
}

function structuredOf({ structured }: Run): Pick<RunResult, "data" | "data_error"> {
  if (structured === undefined) return {};
  return "error" in structured ? { data: null, data_error: structured.error } : { data: structured.data };
}

/** Set only by the top-level run, for all runs inside it, if its agent has proposing tools or proposals were made. */
function proposalsOf({ agent, proposals, parent }: Run): Pick<RunResult, "propuestas"> {
  if (parent !== undefined) return {};
  const declares = [...agent.tools.values()].some((tool) => tool.proposes);
  return declares || proposals.all.length > 0 ? { propuestas: [...proposals.all] } : {};
}
