import type { Clock } from "../../kit/clock.ts";
import type { Message, ModelParameters, ToolSpec } from "../models/model.ts";
import type { ModelRouter } from "../models/model-router.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { RunState } from "../run/run-state.ts";
import type { RunObserver } from "../telemetry/run-observer.ts";
import type { SpanHandle, TraceRecorder } from "../telemetry/trace-recorder.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import type { ToolContext } from "../tools/tool.ts";

/** What a pattern works with: the run's state and the ports it may use. */
export interface PatternRun {
  state: RunState;
  /** What stands before the conversation in every call: the system prompt. */
  preamble: readonly Message[];
  router: ModelRouter;
  tools: ReadonlyMap<string, BoundTool>;
  toolSpecs: readonly ToolSpec[];
  toolContext: ToolContext;
  maxIterations: number;
  maxToolResultTokens: number;
  stream: boolean;
  /** What the caller wants other than the agent's own sampling parameters. */
  parameters: ModelParameters | undefined;
  trace: TraceRecorder;
  /** The `orchestration` span, parent of model and tool spans. */
  span: SpanHandle;
  /** What was said, as a span may hold it; undefined unless the agent wants it recorded (`observability.record`). */
  record: ((value: unknown) => unknown) | undefined;
  observer: RunObserver;
  clock: Clock;
  /** Aborts on cancellation and at the deadline. */
  signal: AbortSignal;
}

/** How an orchestration ended; an error is thrown as AppError. */
export type PatternOutcome = { outcome: "answered" } | { outcome: "max_iterations" };

/** One way to reach an answer. Yields what happens as it happens; `token` contents joined are `state.answer`. */
export type Pattern = (run: PatternRun) => AsyncGenerator<RunEvent, PatternOutcome>;
