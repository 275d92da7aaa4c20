import type { Work } from "../../kit/others-turn.ts";
import type { GuardrailFallback } from "../../manifest/guardrails.ts";
import type { TextBudget } from "./text-budget.ts";

export type GuardrailStage = "input" | "output";
export type GuardrailAction = "redact" | "block" | "warn" | "log";

/** What a guardrail made of a text: the text to go on with (redacted or not), or a block. `hits` counts what it found. */
export type Verdict =
  | { outcome: "passed" | "redacted"; text: string; hits: number }
  | { outcome: "blocked"; reason: string; hits: number };

/** The streaming side: nothing leaves that the guardrail would have removed or blocked. */
export interface GuardrailStream {
  /** Takes the next piece and returns what may be shown now (possibly empty). */
  push(piece: string): Work<string>;
  /** The answer is complete: returns the rest that may be shown. */
  end(): Work<string>;
  /** Returns what was held back, also when the work of a push or an end was cut off. The stream is not used afterwards. */
  giveUp(): string;
  /** Set as soon as a block is certain; from then on push and end return "". */
  readonly blocked: string | undefined;
  readonly hits: number;
}

/** Bounds an answer where it comes from the model, before any guardrail holds a part of it back or changes it. */
export interface AnswerLimit {
  /** Takes the next piece of the answer and returns as much of it as still belongs to it. */
  take(piece: string): string;
  /** The answer ends here: nothing more is needed from the model. */
  readonly isReached: boolean;
  /** Set once the answer is refused. */
  readonly blocked: string | undefined;
  readonly hits: number;
}

interface AnyGuardrail {
  type: string;
  stage: GuardrailStage;
  action: GuardrailAction;
  /** What becomes of a text that it can't check within the budget; absent: `block`. */
  onError?: GuardrailFallback;
}

/** A guardrail that judges texts: what the user says, the answer, what tools are given and give. */
export interface TextGuardrail extends AnyGuardrail {
  check(text: string, budget: TextBudget): Work<Verdict>;
  /** For output guardrails: a fresh stream per answer. */
  open(budget: TextBudget): GuardrailStream;
}

/** A guardrail that judges how long an answer becomes, and nothing else. */
export interface LimitGuardrail extends AnyGuardrail {
  /** A fresh limit per answer. */
  limit(): AnswerLimit;
}

/** One configured guardrail of an agent. */
export type Guardrail = TextGuardrail | LimitGuardrail;
