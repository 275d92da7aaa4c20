import type { PatternRun } from "./pattern.ts";
import type { Thread } from "./thread.ts";

/** The parts of a run that a model call needs; all that a tool outside of a run has. */
export type ModelCaller = Pick<
  PatternRun,
  | "state"
  | "stream"
  | "parameters"
  | "callTokensMax"
  | "answerSchema"
  | "trace"
  | "record"
  | "tape"
  | "clock"
  | "log"
  | "signal"
>;

/** The parts of a conversation that a model call needs. */
export type SpokenThread = Pick<
  Thread,
  "agent" | "preamble" | "messages" | "routerFor" | "toolSpecs" | "allowances" | "span"
>;
