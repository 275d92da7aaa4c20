import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { Tape } from "../cassettes/tape.ts";
import type { AnswerSchema, ModelParameters } from "../models/model.ts";
import type { Rendered } from "../prompts/template.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { RunState } from "../run/run-state.ts";
import type { RunObserver } from "../telemetry/run-observer.ts";
import type { RunTrace, SpanHandle } from "../telemetry/trace-recorder.ts";
import type { SubAgentRequest, ToolResult } from "../tools/tool.ts";
import type { Thread } from "./thread.ts";

/** One stage of a pipeline. */
export interface Stage {
  name: string;
  /** The stage's instruction, rendered with what the stages before it said. */
  instruction(before: { previous: string; outputs: Readonly<Record<string, string>> }): Rendered;
}

/** What a pattern works with: the run's state and the ports it may use. */
export interface PatternRun {
  state: RunState;
  /** The agent's conversation with the user; its messages are `state.messages`. */
  main: Thread;
  /** What the user says, with the context block, as the last of those messages has it. */
  query: string;
  /** Model calls that the whole run may make. */
  maxIterations: number;
  /** `supervisor`, `swarm`: the names of the agent tools it may use. */
  workers: ReadonlySet<string>;
  /** `pipeline`: its stages in order. */
  stages: readonly Stage[];
  /** How `agent` goes on with a conversation: its prompt, models and tools; undefined when there is no such agent. */
  threadOf(agent: string, messages: Thread["messages"]): Promise<Thread | undefined>;
  /** Runs another agent for a tool of this thread; what goes wrong with it is a failed result. */
  runAgent(thread: Thread, span: SpanHandle, request: SubAgentRequest): Promise<ToolResult>;
  /** Whether somebody reads tokens as they come. */
  stream: boolean;
  /** What the caller wants other than the agent's own sampling parameters. */
  parameters: ModelParameters | undefined;
  /** Tokens that one call may answer with, by the caller's limits. */
  callTokensMax: number | undefined;
  /** The shape the answer is to have. */
  answerSchema: AnswerSchema | undefined;
  trace: RunTrace;
  /** What was said, as a span may hold it; undefined unless the agent wants it recorded (`observability.record`). */
  record: ((value: unknown) => Promise<unknown>) | undefined;
  tape: Tape | undefined;
  observer: RunObserver;
  clock: Clock;
  log: Logger;
  /** Aborts on cancellation and at the deadline. */
  signal: AbortSignal;
}

/** How an orchestration ended; an error is thrown as AppError. */
export type PatternOutcome = { outcome: "answered" } | { outcome: "max_iterations" };

/** One way to reach an answer. Yields what happens as it happens; `token` contents joined are `state.answer`. */
export type Pattern = (run: PatternRun) => AsyncGenerator<RunEvent, PatternOutcome>;

/** Model calls that are left to the run. */
export function iterationsLeft({
  maxIterations,
  state,
}: Pick<PatternRun, "maxIterations" | "state">): number {
  return maxIterations - state.iterations;
}
