export type GuardrailStage = "input" | "output";
export type GuardrailAction = "redact" | "block" | "warn" | "log";

/** What a guardrail made of a text: the text to go on with (redacted or not), or a block. `hits` counts what it found. */
export type Verdict =
  | { outcome: "passed" | "redacted"; text: string; hits: number }
  | { outcome: "blocked"; reason: string; hits: number };

/** The streaming side: nothing leaves that the guardrail would have removed or blocked. */
export interface GuardrailStream {
  /** Takes the next piece and returns what may be shown now (possibly empty). */
  push(piece: string): string;
  /** The answer is complete: returns the rest that may be shown. */
  end(): string;
  /** Set as soon as a block is certain; from then on push and end return "". */
  readonly blocked: string | undefined;
  readonly hits: number;
}

/** One configured guardrail of an agent. */
export interface Guardrail {
  type: string;
  stage: GuardrailStage;
  action: GuardrailAction;
  check(text: string): Verdict;
  /** For output guardrails: a fresh stream per answer. */
  open(): GuardrailStream;
}
