import type { ToolCallRecord } from "../../contracts/daemon/run.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { Message } from "../models/model.ts";
import type { RunObserver } from "../telemetry/run-observer.ts";
import type { TraceSink } from "../telemetry/trace.ts";
import type { TraceRecorder } from "../telemetry/trace-recorder.ts";
import type { RunRequest } from "./run-request.ts";
import type { RunState } from "./run-state.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

/** What a run needs beside the agent. */
export interface RunPorts {
  clock: Clock;
  newId: NewId;
  random: () => number;
  observer: RunObserver;
  traces: TraceSink;
  log: Logger;
  /** Takes known secrets out of what a trace is to hold of a run's content. */
  redact: (value: unknown) => unknown;
}

/** One run under way. */
export interface Run {
  ports: RunPorts;
  agent: RunnableAgent;
  request: RunRequest;
  state: RunState;
  trace: TraceRecorder;
  /** Aborts on cancellation and at the deadline. */
  signal: AbortSignal;
  /** What the user says, and the conversation if the caller brought it, as the input guardrails let them through. */
  query: string;
  history: readonly Message[] | undefined;
  /** The answer as the output guardrails let it through; complete once the orchestration is. */
  response: string;
  /** The tool calls and their results as the output guardrails let them through. */
  toolCalls: ToolCallRecord[];
  inputRedacted: boolean;
  outputFiltered: boolean;
}
