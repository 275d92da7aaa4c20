import type { RunResult } from "../../contracts/daemon/runs/run.ts";
import { usualSource } from "../../contracts/daemon/runs/run-sources.ts";
import type { AppError } from "../../kit/app-error.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import { sourceOf } from "../run-state/run-request.ts";
import {
  addDelegatedCost,
  addUsage,
  type RunState,
  totalCost,
  totalUsage,
  usageDifference,
} from "../run-state/run-state.ts";
import type { UsageRecord } from "../spending/usage-record.ts";
import { cleanTrace } from "../telemetry/clean-trace.ts";
import type { RunStatus } from "../telemetry/run-observer.ts";
import type { RecordedTrace } from "../telemetry/trace.ts";
import { roundMs, TraceRecorder } from "../telemetry/trace-recorder.ts";
import type { Run } from "./run.ts";

/** How a run ended: `code` and `reason` are the error's code and message, `blockedBy` the guardrail's type and stage. */
export interface AgentRunEnding {
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
  request: Pick<Run["request"], "tenant" | "sessionId" | "source" | "trigger">;
};

type FinishedRun = Extract<RunEvent, { type: "done" }>;

/** Finishes a run once, on success, failure and cancellation alike: writes metrics, trace and log, and returns the result. */
export function finishRun(run: Run, ending: AgentRunEnding): FinishedRun {
  const { agent, request, state, trace, ports, parent } = run;
  const totalMs = trace.elapsedMs();
  const { inputTokens, outputTokens } = newTokens(state);
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
    inputTokens,
    outputTokens,
  });
  ports.log.info("run.finished", {
    agent: agent.name,
    status: ending.status,
    code: ending.code,
    latency_ms: roundMs(totalMs),
    trace_id: trace.traceId,
    tenant: request.tenant,
    request_id: request.requestId,
  });
  return {
    type: "done",
    result: resultOf(run, roundMs(totalMs)),
    // Cleaned only for those who read it. A property of its own, because copies of the event need it as well.
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
  const corrected = trace.corrected?.then(() => cleanTrace(recorded, ports.redact));
  if (enabled && chance < sampleRate) ports.traces.record(request.tenant, finished(), corrected);
  else ports.traces.count?.(request.tenant, finished());
  return finished;
}

/** Records the usage of model calls once all of them have ended. Usage that is still to come corrects the record. */
export function recordUsage({ agent, request, state, ports }: Spender): void {
  const records: UsageRecord[] = [];
  const source = sourceOf(request);
  let at: Date | undefined;
  for (const call of state.modelCalls) {
    const { usage, provider, model, role, costMicros, latencyMs, played, settled } = call;
    if (played === true) continue;
    at ??= ports.clock.now();
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
    if (source !== usualSource) record.source = source;
    records.push(record);
    if (settled !== undefined) {
      const corrected = settled.then(() => {
        if (call.usage !== usage) ports.usage.record([correctionOf(record, { usage, costMicros }, call)]);
      });
      ports.usageAwaited?.(corrected);
    }
  }
  if (records.length > 0) ports.usage.record(records);
}

type Counted = Pick<RunState["modelCalls"][number], "usage" | "costMicros">;

function correctionOf(record: UsageRecord, before: Counted, after: Counted): UsageRecord {
  return {
    ...record,
    ...usageDifference(before.usage, after.usage),
    costMicros:
      before.costMicros === null || after.costMicros === null ? null : after.costMicros - before.costMicros,
    corrects: true,
  };
}

function isFault({ status }: AgentRunEnding): boolean {
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
  const totalTokens = inputTokens + outputTokens;
  const metadata: RunResult["metadata"] = {
    provider: state.provider,
    model: state.model,
    pattern: agent.pattern.name,
    iterations: state.iterations,
    tokens_used: totalTokens,
    latency_ms: totalMs,
  };
  if (run.toolCalls.length > 0) metadata.tools_called = [...new Set(run.toolCalls.map(({ tool }) => tool))];
  if (agent.inputGuardrails.length + agent.outputGuardrails.length > 0)
    metadata.guardrails = {
      input_pii_redacted: run.inputRedacted,
      output_filtered: run.outputFiltered,
      tokens_within_budget: run.withinBudget,
    };
  const sources = sourcesOf(run);
  if (sources !== undefined) metadata.sources = sources;
  if (state.simulated) metadata.simulated = true;
  const result: RunResult = {
    agent: agent.name,
    session_id: request.sessionId,
    response: run.response,
    tool_calls: run.toolCalls,
    usage: { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: totalTokens },
    timing: { total_ms: totalMs, model_ms: roundMs(state.modelMs), tool_ms: roundMs(state.toolMs) },
    model: state.model,
    provider: state.provider,
    metadata,
    trace_id: run.trace.traceId,
  };
  if (state.finish === "length") result.finish = "length";
  addStructured(result, run);
  if (run.chain !== undefined) result.chain = run.chain;
  const proposals = proposalsOf(run);
  if (proposals !== undefined) result.propuestas = proposals;
  return result;
}

/** For an agent with `knowledge`: the passages in its prompt, in the same order. */
function sourcesOf({ agent, passages }: Run): RunResult["metadata"]["sources"] {
  if (agent.recall?.knowledge === undefined) return undefined;
  return passages.map(({ score, citation: { documentId, ...place } }) => ({
    document_id: documentId,
    ...place,
    score,
  }));
}

function addStructured(result: RunResult, { structured }: Run): void {
  if (structured === undefined) return;
  result.data = "error" in structured ? null : structured.data;
  if ("error" in structured) result.data_error = structured.error;
}

/** Set only by the top-level run, for all runs inside it, if its agent has proposing tools or proposals were made. */
function proposalsOf({ agent, proposals, parent }: Run): RunResult["propuestas"] {
  if (parent !== undefined) return undefined;
  if (proposals.all.length > 0) return [...proposals.all];
  for (const { proposes } of agent.tools.values()) if (proposes) return [];
  return undefined;
}
