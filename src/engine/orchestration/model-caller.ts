import type { PatternRun } from "./pattern.ts";
import type { Thread } from "./thread.ts";

/** What a model call needs of a run; a tool that is executed outside of one has no more. */
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

/** What a model call needs of the conversation that it belongs to. */
export type SpokenThread = Pick<
  Thread,
  "agent" | "preamble" | "messages" | "routerFor" | "toolSpecs" | "allowances" | "span"
>;
