import { entryAttribute } from "../../contracts/daemon/cassettes/recorded-call.ts";
import type { ToolCall } from "../models/model.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import { type BoundTool, letsModelsWork, waitsForCaller } from "../tools/bound-tool.ts";
import { executeTool } from "../tools/execute-tool.ts";
import { stubbedResult } from "../tools/stubbed-result.ts";
import type { ToolResult } from "../tools/tool.ts";
import { trimResult } from "../tools/trim-result.ts";
import { carriedOutByCaller, onceApproved } from "./awaited-calls.ts";
import { modelOfThread } from "./model-call/model-of-thread.ts";
import type { PatternRun } from "./pattern.ts";
import type { Thread } from "./thread.ts";

/**
 * Carries out the calls of one model turn in parallel, each traced as `tool.call`, and passes the results to the model in the order of the
 * calls. If a call can't be carried out, its result fails with the reason; it never throws.
 */
export async function* callTools(
  run: PatternRun,
  thread: Thread,
  calls: readonly ToolCall[],
): AsyncGenerator<RunEvent, void> {
  for (const call of calls) {
    yield { type: "tool_call", id: call.id, tool: call.name, input: call.input };
  }
  const startedMs = run.clock.monotonicMs();
  try {
    const threads = withShares(thread, calls);
    const running = calls.map((call, index) => {
      const result = carryOut(run, threads[index] ?? thread, call);
      // If a call has to wait for a person, the run ends, and the results of later calls are not awaited.
      result.catch(() => undefined);
      return { call, result };
    });
    for (const { call, result } of running) {
      const output = await result;
      run.state.toolCalls.push({ tool: call.name, input: call.input, output });
      thread.messages.push({
        role: "tool",
        callId: call.id,
        name: call.name,
        content: trimResult(output, thread.maxToolResultTokens),
      });
      yield { type: "tool_result", id: call.id, tool: call.name, ok: output.success, output };
    }
  } finally {
    run.state.toolMs += run.clock.monotonicMs() - startedMs;
  }
  // A tool that was stopped returns a failed result; the run itself ends here.
  run.signal.throwIfAborted();
}

/** The thread of each call. Calls that let models work in parallel each get a share of the limits, so that none uses up another's. */
function withShares(thread: Thread, calls: readonly ToolCall[]): readonly Thread[] {
  if (thread.allowances.length === 0) return [];
  const working = calls.filter(({ name }) => {
    const tool = thread.tools.get(name);
    return tool !== undefined && letsModelsWork(tool) && tool.proposes !== true;
  });
  if (working.length < 2) return [];
  const shares = thread.allowances.map((allowance) => allowance.split(working.length));
  return calls.map((call) => {
    const part = working.indexOf(call);
    if (part === -1) return thread;
    return { ...thread, allowances: shares.flatMap((parts) => parts[part] ?? []) };
  });
}

async function carryOut(run: PatternRun, thread: Thread, call: ToolCall): Promise<ToolResult> {
  const span = run.trace.start("tool.call", { tool: call.name }, thread.span);
  const startedMs = run.clock.monotonicMs();
  const asked: Promise<unknown>[] = [];
  const output = await resultOf(run, thread, call, span, asked);
  // A stopped tool does not wait for its model calls. The run waits for them, because their usage counts.
  if (asked.length > 0) await Promise.allSettled(asked);
  span.set("ok", output.success);
  if (run.record) {
    span.set("input", await run.record(call.input));
    span.set("output", await run.record(output));
  }
  span.end(output.success ? "OK" : "ERROR");
  run.observer.toolExecuted({
    tool: thread.tools.has(call.name) ? call.name : "unknown",
    ok: output.success,
    latencyMs: run.clock.monotonicMs() - startedMs,
  });
  return output;
}

function resultOf(
  run: PatternRun,
  thread: Thread,
  call: ToolCall,
  span: SpanHandle,
  asked: Promise<unknown>[],
): Promise<ToolResult> | ToolResult {
  if (call.unparsable !== undefined) {
    return {
      success: false,
      error: `The arguments of ${call.name} were no JSON object, or had over 20,000 values or 2 MiB; send them again as one.`,
    };
  }
  const tool = thread.tools.get(call.name);
  if (tool === undefined) {
    const names = [...thread.tools.keys()].join(", ");
    return {
      success: false,
      error: `There is no tool ${call.name}. ${names === "" ? "This agent has no tools." : `Tools: ${names}.`}`,
    };
  }
  const stubbed =
    run.toolStubs && stubbedResult(run.toolStubs, tool, call.input, thread.toolContext.maskKnown);
  if (stubbed !== undefined) return stubbed;
  const isByCaller = waitsForCaller(tool);
  const isRunAgain = isByCaller || letsModelsWork(tool) || tool.proposes === true;
  const by = { agent: thread.agent };
  const limited = (isRunAgain && run.interceptor?.limited?.(by, tool)) || tool;
  if (!tool.requiresApproval && !isByCaller && (run.interceptor === undefined || tool.proposes))
    return carryOutNow(run, thread, limited, call, span, asked);
  const intercepted = () => interceptedResult(run, thread, limited, call, span, asked);
  return tool.requiresApproval
    ? onceApproved(run, thread.agent, tool, call.input, intercepted)
    : intercepted();
}

function carryOutNow(
  run: PatternRun,
  thread: Thread,
  tool: BoundTool,
  call: ToolCall,
  span: SpanHandle,
  asked: Promise<unknown>[],
): Promise<ToolResult> {
  return executeTool(tool, call.input, {
    ...thread.toolContext,
    runAgent: (request) => run.runAgent(thread, span, request),
    modelOf: (role) => modelOfThread(run, { ...thread, span }, role, asked),
  });
}

/** The result of a call that others may carry out, record or replay. */
function interceptedResult(
  run: PatternRun,
  thread: Thread,
  tool: BoundTool,
  call: ToolCall,
  span: SpanHandle,
  asked: Promise<unknown>[],
): Promise<ToolResult> {
  if (waitsForCaller(tool)) return carriedOutByCaller(run, tool, call.input, thread);
  const live = () => carryOutNow(run, thread, tool, call, span, asked);
  // A proposal gets no answer from outside, so it is not recorded.
  if (run.interceptor === undefined || tool.proposes) return live();
  const requested = { tool: call.name, input: call.input };
  const noted = (seq: number) => span.set(entryAttribute, seq);
  const by = { agent: thread.agent };
  return letsModelsWork(tool)
    ? run.interceptor.worker(by, requested, live, run.signal, noted)
    : run.interceptor.tool(by, requested, live, run.signal, noted);
}
