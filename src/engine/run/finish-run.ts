import type { RunResult } from "../../contracts/daemon/run.ts";
import type { RunStatus } from "../telemetry/run-observer.ts";
import { roundMs } from "../telemetry/trace-recorder.ts";
import type { Run } from "./run.ts";
import type { RunEvent } from "./run-event.ts";

/** How a run ended: `code` is the error's, `blockedBy` the guardrail's type and stage. */
export interface RunEnding {
  status: RunStatus;
  code?: string;
  blockedBy?: Record<string, unknown> | undefined;
}

type FinishedRun = Extract<RunEvent, { type: "done" }>;

/** The one finaliser of a run, on success, failure and cancellation alike: writes metrics, trace and log, and says the result. */
export function finishRun(run: Run, ending: RunEnding): FinishedRun {
  const { agent, request, state, trace, ports } = run;
  const latencyMs = trace.elapsedMs();
  trace.root.set("status", ending.status);
  if (ending.code !== undefined) trace.root.set("error", ending.code);
  if (ending.blockedBy !== undefined) trace.root.set("blocked_by", ending.blockedBy);
  if (state.simulated) trace.root.set("simulated", true);
  const finished = trace.finish(agent.name, request.sessionId, ending.status === "ok" ? "OK" : "ERROR");
  const { tracing } = agent;
  if (tracing.enabled && ports.random() < tracing.sampleRate) ports.traces.record(request.tenant, finished);
  ports.observer.runFinished({
    agent: agent.name,
    sessionId: request.sessionId,
    pattern: agent.pattern.name,
    status: ending.status,
    latencyMs,
    overheadMs: Math.max(0, latencyMs - state.modelMs - state.toolMs),
    inputTokens: state.usage.inputTokens,
    outputTokens: state.usage.outputTokens,
  });
  ports.log.info("run.finished", {
    agent: agent.name,
    status: ending.status,
    code: ending.code,
    latency_ms: roundMs(latencyMs),
    trace_id: trace.traceId,
    request_id: request.requestId,
  });
  const { finish, usage } = state;
  return { type: "done", result: resultOf(run, roundMs(latencyMs)), trace: finished, finish, usage };
}

function resultOf(run: Run, totalMs: number): RunResult {
  const { agent, request, state } = run;
  const { inputTokens, outputTokens } = state.usage;
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
              tokens_within_budget: true,
            },
          }
        : {}),
      ...(state.simulated ? { simulated: true as const } : {}),
    },
    trace_id: run.trace.traceId,
  };
}
