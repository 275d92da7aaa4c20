import { AppError } from "../../kit/app-error.ts";
import type { Guardrail, GuardrailAction, GuardrailStage, GuardrailStream } from "./guardrail.ts";

/** What one guardrail did to a text; `hits` is 0 when it found nothing. */
export interface GuardrailReport {
  type: string;
  stage: GuardrailStage;
  action: GuardrailAction;
  outcome: "passed" | "redacted" | "warned" | "logged" | "blocked";
  hits: number;
}

/** An answer on its way out. */
export interface ChainStream {
  /** Takes the next piece and returns what may be shown now. Throws `guardrail_blocked`. */
  push(piece: string): string;
  /** The answer is complete: returns the rest. Throws `guardrail_blocked`. */
  end(): string;
  /** One report per guardrail, in order; complete after `end`, also when it threw. */
  reports(): GuardrailReport[];
}

/** The guardrails of one stage, applied in definition order: each sees what the one before made of the text. */
export interface GuardrailChain {
  readonly length: number;
  /** Throws AppError `guardrail_blocked` (422) with `facts` {type, stage} when one blocks. */
  check(text: string): { text: string; reports: GuardrailReport[] };
  open(): ChainStream;
  /** A JSON value with each string, key and number checked by itself: for the arguments and results of tools. */
  filterValue<T>(value: T): T;
}

/** A chain of `guardrails`; an empty one passes everything untouched. */
export function createGuardrailChain(guardrails: readonly Guardrail[]): GuardrailChain {
  if (guardrails.length === 0) return emptyChain;

  const check = (text: string) => {
    const reports: GuardrailReport[] = [];
    let current = text;
    for (const guardrail of guardrails) {
      const verdict = guardrail.check(current);
      if (verdict.outcome === "blocked") throw blocked(guardrail, verdict.reason);
      reports.push(report(guardrail, verdict.hits));
      current = verdict.text;
    }
    return { text: current, reports };
  };

  const filterValue = (value: unknown): unknown => {
    if (typeof value === "string") return check(value).text;
    if (typeof value === "number") {
      const { text } = check(String(value)); // a card's number may come as a JSON number
      return text === String(value) ? value : text;
    }
    if (Array.isArray(value)) return value.map(filterValue);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [check(key).text, filterValue(item)]),
    );
  };

  return {
    length: guardrails.length,
    check,
    open: () => openChain(guardrails),
    filterValue: <T>(value: T) => filterValue(value) as T,
  };
}

const emptyChain: GuardrailChain = {
  length: 0,
  check: (text) => ({ text, reports: [] }),
  open: () => ({ push: (piece) => piece, end: () => "", reports: () => [] }),
  filterValue: (value) => value,
};

function openChain(guardrails: readonly Guardrail[]): ChainStream {
  const links = guardrails.map((guardrail) => ({ guardrail, stream: guardrail.open() }));

  const passed = (guardrail: Guardrail, stream: GuardrailStream, text: string) => {
    if (stream.blocked !== undefined) throw blocked(guardrail, stream.blocked);
    return text;
  };

  return {
    push(piece) {
      let text = piece;
      for (const { guardrail, stream } of links) {
        if (text === "") return "";
        text = passed(guardrail, stream, stream.push(text));
      }
      return text;
    },
    end() {
      let text = "";
      for (const { guardrail, stream } of links) {
        const pushed = text === "" ? "" : stream.push(text);
        text = passed(guardrail, stream, pushed + stream.end());
      }
      return text;
    },
    reports: () => links.map(({ guardrail, stream }) => report(guardrail, stream.hits, stream.blocked)),
  };
}

function report({ type, stage, action }: Guardrail, hits: number, reason?: string): GuardrailReport {
  const outcomes = { redact: "redacted", warn: "warned", log: "logged", block: "blocked" } as const;
  const outcome = reason !== undefined ? "blocked" : hits === 0 ? "passed" : outcomes[action];
  return { type, stage, action, outcome, hits };
}

function blocked({ type, stage }: Guardrail, reason: string): AppError {
  const message = `The ${stage} was refused by the guardrail ${type}: ${reason}.`;
  return new AppError("unprocessable", "guardrail_blocked", message, { details: { facts: { type, stage } } });
}
