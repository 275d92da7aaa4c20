import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { GuardrailAction, GuardrailFallback, GuardrailStage } from "../../manifest/agent/guardrails.ts";
import type { TextBudget } from "./text-budget.ts";

/*
 * Guardrails: one kind per file or folder, listed in `registry.ts`. `chain.ts` applies an agent's guardrails in order to a text, a stream
 * or a JSON value.
 */

/** Result of a guardrail for a text: the text to continue with (redacted or not), or a block. `hits` is the number of finds. */
export type GuardrailVerdict =
  | { outcome: "passed" | "redacted"; text: string; hits: number }
  | { outcome: "blocked"; reason: string; hits: number };

/** Checks an answer that is streamed. Text that the guardrail would remove or block never leaves the stream. */
export interface GuardrailStream {
  /** Takes the next piece and returns the text that may be shown now, possibly empty. */
  push(piece: string): Work<string>;
  /**
   * As `push`, at once and without objects of its own, for the tokens of a stream. Returns undefined, and has done nothing, if the piece
   * needs `push`.
   */
  pushShort?(piece: string): string | undefined;
  /** The answer is complete: returns the rest that may be shown. */
  end(): Work<string>;
  /** As `end`, at once; undefined, and nothing is done, if it needs `end`. */
  endShort?(): string | undefined;
  /** Returns the text held back, even if a push or an end was interrupted. The stream must not be used afterwards. */
  giveUp(): string;
  /** Reason of the block, set as soon as a block is certain. From then on push and end return "". */
  readonly blocked: string | undefined;
  readonly hits: number;
}

/** Limits the length of an answer as it comes from the model, before a guardrail holds back or changes parts of it. */
export interface AnswerLimit {
  /** Takes the next piece of the answer and returns the part within the limit. */
  take(piece: string): string;
  /** True once the limit is reached: nothing more is needed from the model. */
  readonly isReached: boolean;
  /** Reason of the refusal, set once the answer is refused. */
  readonly blocked: string | undefined;
  readonly hits: number;
}

interface AnyGuardrail {
  type: string;
  stage: GuardrailStage;
  action: GuardrailAction;
  /** Treatment of a text that can't be checked within the budget; absent: `block`. */
  onError?: GuardrailFallback;
}

/** A guardrail that checks texts: user messages, answers, tool arguments and tool results. */
export interface TextGuardrail extends AnyGuardrail {
  /** True if it limits only what users write: a caller's history may hold answers and tool results that it would refuse. */
  forUserText?: boolean;
  check(text: string, budget: TextBudget): Work<GuardrailVerdict>;
  /** As `check`, at once, for a short text; undefined if the text needs `check`. */
  checkShort?(text: string, budget: TextBudget): GuardrailVerdict | undefined;
  /** For output guardrails: returns a new stream for an answer. */
  open(budget: TextBudget): GuardrailStream;
}

/** A guardrail that limits the length of answers. */
export interface LimitGuardrail extends AnyGuardrail {
  /** Returns a new limit for an answer. */
  limit(): AnswerLimit;
}

/** One configured guardrail of an agent. */
export type Guardrail = TextGuardrail | LimitGuardrail;
