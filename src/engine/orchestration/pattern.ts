import type { ToolStubs } from "../../contracts/daemon/runs/tool-stubs.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { ModelParameters } from "../models/model.ts";
import type { HeldText } from "../run-state/held-text.ts";
import type { Interceptor } from "../run-state/interceptor.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import type { RunState } from "../run-state/run-state.ts";
import type { AnswerSchema } from "../structured/structured-output.ts";
import type { RunObserver } from "../telemetry/run-observer.ts";
import type { RunTrace, SpanHandle } from "../telemetry/trace-recorder.ts";
import type { Rendered } from "../templates/template.ts";
import type { SubAgentRequest, ToolResult } from "../tools/tool.ts";
import type { ModelThread } from "./thread.ts";

/** One stage of a pipeline. */
export interface PatternStage {
  name: string;
  /** Renders the stage's instruction from the results of the earlier stages. */
  instruction(before: { previous: string; outputs: Readonly<Record<string, string>> }): Rendered;
}

/** State and ports of a run that a pattern uses. */
export interface PatternRun {
  state: RunState;
  /** Counts what the run holds. */
  held: HeldText;
  /** The agent's conversation with the user; its messages are `state.messages`. */
  main: ModelThread;
  /** The user's query with the context block, as in the last of those messages. */
  query: string;
  /** Maximum model calls of the whole run. */
  maxIterations: number;
  /** `supervisor`, `swarm`: names of the agent tools that may be used. */
  workers: ReadonlySet<string>;
  /** `pipeline`: the stages in order. */
  stages: readonly PatternStage[];
  /**
   * Prompt, models and tools with which `agent` continues a conversation; undefined if there is no such agent. Waits for its tool servers that
   * are starting, at most until `signal` aborts.
   */
  threadOf(
    agent: string,
    messages: ModelThread["messages"],
    signal: AbortSignal,
  ): Promise<ModelThread | undefined>;
  /** Runs another agent for a tool of this thread. Errors become a failed result. */
  runAgent(thread: ModelThread, span: SpanHandle, request: SubAgentRequest): Promise<ToolResult>;
  /** True if a reader receives tokens as they arrive. */
  stream: boolean;
  /** True if the reader takes tokens that arrived together as one event. */
  bundles: boolean;
  /** Sampling parameters of the caller that override the agent's. */
  parameters: ModelParameters | undefined;
  /** Maximum answer tokens of one call, from the caller's limits. */
  callTokensMax: number | undefined;
  /** Prepared results of tools. */
  toolStubs: ToolStubs | undefined;
  /** Schema of the answer. */
  answerSchema: AnswerSchema | undefined;
  trace: RunTrace;
  /** Returns content in the form that spans record; undefined unless the agent enables it (`observability.record`). */
  record: ((value: unknown) => Promise<unknown>) | undefined;
  interceptor: Interceptor | undefined;
  observer: RunObserver;
  clock: Clock;
  log: Logger;
  /** Aborts on cancellation and at the deadline. */
  signal: AbortSignal;
}

/** How an orchestration ended: with an answer, or for want of model calls. Errors are thrown as AppError. */
export interface PatternOutcome {
  stop: "answered" | "condition" | "max_iterations";
}

/** A way to reach an answer; `patterns/` has one per file, made of model calls (`model-call/`), tool calls and tasks. Yields events as they happen; the joined contents of `token` and `tokens` events are `state.answer`. */
export type Pattern = (run: PatternRun) => AsyncGenerator<RunEvent, PatternOutcome>;

/** Number of model calls that the run may still make. */
export function iterationsLeft({
  maxIterations,
  state,
}: Pick<PatternRun, "maxIterations" | "state">): number {
  return maxIterations - state.iterations;
}

/** The parts of a run that a model call needs; all that a tool outside of a run has. */
export type ModelCaller = Pick<
  PatternRun,
  | "state"
  | "held"
  | "stream"
  | "bundles"
  | "parameters"
  | "callTokensMax"
  | "answerSchema"
  | "trace"
  | "record"
  | "interceptor"
  | "clock"
  | "log"
  | "signal"
>;

/** The parts of a conversation that a model call needs. */
export type SpokenThread = Pick<
  ModelThread,
  "agent" | "preamble" | "messages" | "routerFor" | "toolSpecs" | "allowances" | "span"
>;
