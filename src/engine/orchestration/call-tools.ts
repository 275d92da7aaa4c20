import { entryAttribute } from "../../contracts/daemon/cassettes/recorded-call.ts";
import { playedAttribute } from "../../contracts/daemon/runs/traced-calls.ts";
import { onAbort, ToldController } from "../../kit/concurrency/on-abort.ts";
import type { ToolCall } from "../models/model.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import { type BoundTool, letsModelsWork, waitsForCaller } from "../tools/bound-tool.ts";
import { executeTool } from "../tools/execute-tool.ts";
import { stubbedResult } from "../tools/stubbed-result.ts";
import type { ToolContext, ToolResult } from "../tools/tool.ts";
import { textOfResult, trimResult } from "../tools/trim-result.ts";
import { carriedOutByCaller, onceAnswered, onceApproved } from "./awaited-calls.ts";
import { modelOfThread } from "./model-call/model-of-thread.ts";
import type { ModelTurn } from "./model-call/model-turn.ts";
import type { PatternRun } from "./pattern.ts";
import type { ModelThread } from "./thread.ts";

/** A call that is being carried out. */
interface Work {
  call: ToolCall;
  /** True if the limit on the answer's tokens cut its arguments. */
  isCut: boolean;
  /** Aborts when the run is stopped, and when the reader leaves before the last result of the turn. */
  signal: AbortSignal;
  /** True once the tool works. Before that, a call may wait for a person or another answer from outside until the run ends. */
  hasBegun: boolean;
  /** Model calls and agents that the tool has started. */
  asked: Promise<unknown>[];
  /** True if the result was received before the run paused. */
  isPlayed: boolean;
}

/**
 * Carries out the calls of one model turn in parallel, each traced as `tool.call`, and passes the results to the model in the order of the
 * calls. If a call can't be carried out, its result fails with the reason; it never throws. If the reader leaves early, the other calls are
 * stopped. In every case the work has ended before the turn does, because its usage counts.
 */
export async function* callTools(
  run: PatternRun,
  thread: ModelThread,
  { calls, finish }: Pick<ModelTurn, "calls" | "finish">,
): AsyncGenerator<RunEvent, void> {
  for (const call of calls) {
    yield { type: "tool_call", id: call.id, tool: call.name, input: call.input };
  }
  const startedMs = run.clock.monotonicMs();
  const stop = stopOfTurn(run.signal, calls.length);
  const threads = withShares(thread, calls);
  const running = calls.map((call, index) => {
    const isCut = call.unparsable !== undefined && finish === "length";
    const work: Work = { call, isCut, signal: stop.signal, hasBegun: false, asked: [], isPlayed: false };
    const result = carryOut(run, threads[index] ?? thread, work);
    // If a call has to wait for a person, the run ends, and the results of later calls are not awaited.
    result.catch(() => undefined);
    return { work, result };
  });
  let isWhole = false;
  try {
    for (const { work, result } of running) {
      const { call } = work;
      const output = await result;
      const text = textOfResult(output);
      run.held.take(text.length);
      run.state.toolCalls.push({ tool: call.name, input: call.input, output });
      thread.messages.push({
        role: "tool",
        callId: call.id,
        name: call.name,
        content: trimResult(text, thread.maxToolResultTokens),
      });
      yield { type: "tool_result", id: call.id, tool: call.name, ok: output.success, output };
    }
    isWhole = !run.signal.aborted;
  } finally {
    stop.forgetRun();
    if (!isWhole) {
      stop.abort();
      await Promise.allSettled(running.flatMap(({ work, result }) => (work.hasBegun ? result : [])));
    }
    run.state.toolMs += run.clock.monotonicMs() - startedMs;
  }
  // A tool that was stopped returns a failed result; the run itself ends here.
  run.signal.throwIfAborted();
}

/** Stops the calls of a turn without stopping the run. */
interface TurnStop {
  /** Aborts with the run too, until `forgetRun`. */
  signal: AbortSignal;
  abort(): void;
  forgetRun(): void;
}

const nothing = () => {};

/** A single call needs no signal of its own: while it works, its reader waits for its result and can't leave. */
function stopOfTurn(run: AbortSignal, calls: number): TurnStop {
  if (calls < 2) return { signal: run, abort: nothing, forgetRun: nothing };
  const stop = new ToldController();
  const stopWithRun = () => stop.abort(run.reason);
  const forgetRun = onAbort(run, stopWithRun);
  if (run.aborted) stopWithRun();
  return {
    signal: stop.signal,
    abort: () => stop.abort(new DOMException("The run has ended.", "AbortError")),
    forgetRun,
  };
}

/** The thread of each call. Calls that let models work in parallel each get a share of the limits, so that none uses up another's. */
function withShares(thread: ModelThread, calls: readonly ToolCall[]): readonly ModelThread[] {
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

async function carryOut(run: PatternRun, thread: ModelThread, work: Work): Promise<ToolResult> {
  const { call, asked } = work;
  const span = run.trace.start("tool.call", { tool: call.name }, thread.span);
  const startedMs = run.clock.monotonicMs();
  let output: ToolResult;
  try {
    output = await resultOf(run, thread, work, span);
  } finally {
    // A stopped tool does not wait for what it has started. The run waits, because the usage counts.
    if (asked.length > 0) await Promise.allSettled(asked);
  }
  span.set("ok", output.success);
  if (work.isPlayed || run.interceptor?.isPlaying === true) span.set(playedAttribute, true);
  if (run.record) {
    span.set("input", await run.record(call.input));
    span.set("output", await run.record(output));
  }
  span.end(output.success ? "OK" : "ERROR");
  const tool = thread.tools.get(call.name);
  if (!work.isPlayed)
    run.observer.toolExecuted({
      tool: tool === undefined ? "unknown" : call.name,
      ok: output.success,
      latencyMs: run.clock.monotonicMs() - startedMs,
      // A call that failed may have had effects, too.
      hasEffects: work.hasBegun && tool?.hasNoEffects !== true && tool?.proposes !== true,
    });
  return output;
}

function resultOf(
  run: PatternRun,
  thread: ModelThread,
  work: Work,
  span: SpanHandle,
): Promise<ToolResult> | ToolResult {
  const { call } = work;
  if (call.unparsable !== undefined) {
    return {
      success: false,
      error: work.isCut
        ? `The limit on the answer's tokens cut this call of ${call.name} before its arguments were finished, so it was not carried out. Send a shorter call, or several.`
        : isBlank(call.unparsable)
          ? `The answer ended before this call of ${call.name} had arguments, so it was not carried out; send it again with them.`
          : `The arguments of ${call.name} were no JSON object, or had over 20,000 values or 2 MiB; send them again as one.`,
    };
  }
  const tool = thread.tools.get(call.name);
  if (tool === undefined) {
    run.interceptor?.missing?.({ agent: thread.agent }, { tool: call.name, input: call.input });
    const names = [...thread.tools.keys()].join(", ");
    return {
      success: false,
      error: `There is no tool ${call.name}. ${names === "" ? "This agent has no tools." : `Tools: ${names}.`}`,
    };
  }
  if (run.toolStubs === undefined) return unstubbedResult(run, thread, tool, work, span);
  return stubbedResult(run.toolStubs, tool, call.input, thread.toolContext.maskKnown).then(
    (stubbed) => stubbed ?? unstubbedResult(run, thread, tool, work, span),
  );
}

function unstubbedResult(
  run: PatternRun,
  thread: ModelThread,
  tool: BoundTool,
  work: Work,
  span: SpanHandle,
): Promise<ToolResult> | ToolResult {
  const { call } = work;
  const isByCaller = waitsForCaller(tool);
  const isRunAgain = isByCaller || letsModelsWork(tool) || tool.proposes === true;
  const by = { agent: thread.agent };
  const limited = (isRunAgain && run.interceptor?.limited?.(by, tool)) || tool;
  if (!tool.requiresApproval && !isByCaller && (run.interceptor === undefined || tool.proposes))
    return carryOutNow(run, thread, limited, work, span);
  const intercepted = () => interceptedResult(run, thread, limited, work, span);
  return tool.requiresApproval
    ? onceApproved(run, thread.agent, tool, call.input, intercepted)
    : intercepted();
}

const isBlank = (text: string) => text.trim() === "";

function carryOutNow(
  run: PatternRun,
  thread: ModelThread,
  tool: BoundTool,
  work: Work,
  span: SpanHandle,
  answered?: ToolContext["answered"],
): Promise<ToolResult> {
  const { call, signal, asked } = work;
  work.hasBegun = true;
  // The rate limit has counted the call already.
  const { rateLimit: _, ...goingOn } = tool;
  return executeTool(answered === undefined ? tool : goingOn, call.input, {
    ...thread.toolContext,
    signal,
    ...(run.interceptor?.decision !== undefined && { mayAsk: true }),
    ...(answered !== undefined && { answered }),
    runAgent(request) {
      const answer = run.runAgent(thread, span, request);
      asked.push(answer);
      return answer;
    },
    modelOf: (role) => modelOfThread(run, { ...thread, span }, role, asked),
  });
}

/** The result of a call that others may carry out, record or replay. */
async function interceptedResult(
  run: PatternRun,
  thread: ModelThread,
  tool: BoundTool,
  work: Work,
  span: SpanHandle,
): Promise<ToolResult> {
  const { call } = work;
  if (waitsForCaller(tool)) return carriedOutByCaller(run, tool, call.input, thread);
  // A proposal gets no answer from outside, so it is not recorded.
  if (run.interceptor === undefined || tool.proposes) return carryOutNow(run, thread, tool, work, span);
  const requested = { tool: call.name, input: call.input };
  const noted = (seq: number) => span.set(entryAttribute, seq);
  const by = { agent: thread.agent };
  if (letsModelsWork(tool))
    return run.interceptor.worker(
      by,
      requested,
      () => carryOutNow(run, thread, tool, work, span),
      run.signal,
      noted,
    );
  const { interceptor } = run;
  const isRepeatable = tool.hasNoEffects === true || tool.isRepeatable?.(call.input) === true;
  const result = await onceAnswered(run, thread.agent, tool, call.input, (answered) => {
    const live = () => carryOutNow(run, thread, tool, work, span, answered);
    return interceptor.tool(by, requested, live, run.signal, noted, isRepeatable);
  });
  work.isPlayed = interceptor.kept !== undefined && !work.hasBegun;
  return result;
}
