import { AppError } from "../../kit/app-error.ts";
import type { AnswerLimit, Guardrail, GuardrailAction, GuardrailStage, TextGuardrail } from "./guardrail.ts";

/** What one guardrail did to a text; `hits` is 0 when it found nothing. */
export interface GuardrailReport {
  type: string;
  stage: GuardrailStage;
  action: GuardrailAction;
  outcome: "passed" | "redacted" | "warned" | "logged" | "blocked";
  hits: number;
}

/** What became of a text; with `blocked` it must not be used, and the guardrails after that one have not seen it. */
export interface ChainVerdict {
  text: string;
  /** One per guardrail that has seen it, in order. */
  reports: GuardrailReport[];
  /** AppError `guardrail_blocked` (422) with `facts` {type, stage}. */
  blocked: AppError | undefined;
}

/** An answer on its way out, and what tools are given and give on the way to it. */
export interface ChainStream {
  /** Takes the next piece and returns what may be shown now. Throws `guardrail_blocked`. */
  push(piece: string): string;
  /** The answer is as long as it may become: nothing more is needed from the model. */
  readonly isComplete: boolean;
  /** The answer is complete: returns the rest. Throws `guardrail_blocked`. */
  end(): string;
  /** `filterValue` of the chain; what is found counts in the reports. */
  filterValue<T>(value: T): T;
  /** One report per guardrail, in order; complete after `end`, also when something threw. */
  reports(): GuardrailReport[];
}

/** The guardrails of one stage, applied in definition order: each sees what the one before made of the text. */
export interface GuardrailChain {
  readonly length: number;
  /** Whether one of them may end an answer, and with it the model's call. */
  readonly limitsAnswers: boolean;
  check(text: string): ChainVerdict;
  open(): ChainStream;
  /**
   * A JSON value with each string, key and number checked by itself: for the arguments and results of tools.
   * Throws `guardrail_blocked`.
   */
  filterValue<T>(value: T): T;
}

/** A chain of `guardrails`; an empty one passes everything untouched. */
export function createGuardrailChain(guardrails: readonly Guardrail[]): GuardrailChain {
  if (guardrails.length === 0) return emptyChain;
  const texts = guardrails.filter((guardrail) => "check" in guardrail);
  return {
    length: guardrails.length,
    limitsAnswers: guardrails.some(
      (guardrail) => "limit" in guardrail && guardrail.action !== "warn" && guardrail.action !== "log",
    ),
    check(text) {
      const reports: GuardrailReport[] = [];
      const { text: checked, blocked } = checkText(texts, text, (guardrail, hits, reason) =>
        reports.push(report(guardrail, hits, reason)),
      );
      return { text: checked, reports, blocked };
    },
    open: () => openChain(guardrails),
    filterValue: (value) => filterValue(texts, value, () => {}),
  };
}

const emptyChain: GuardrailChain = {
  length: 0,
  limitsAnswers: false,
  check: (text) => ({ text, reports: [], blocked: undefined }),
  open: () => ({
    push: (piece) => piece,
    isComplete: false,
    end: () => "",
    filterValue: (value) => value,
    reports: () => [],
  }),
  filterValue: (value) => value,
};

/** What one guardrail found in one text, told for each that has seen it. */
type Tell = (guardrail: TextGuardrail, hits: number, reason: string | undefined) => void;

function checkText(
  guardrails: readonly TextGuardrail[],
  text: string,
  tell: Tell,
): Pick<ChainVerdict, "text" | "blocked"> {
  let current = text;
  for (const guardrail of guardrails) {
    const verdict = guardrail.check(current);
    const reason = verdict.outcome === "blocked" ? verdict.reason : undefined;
    tell(guardrail, verdict.hits, reason);
    if (verdict.outcome === "blocked") return { text: "", blocked: refusal(guardrail, verdict.reason) };
    current = verdict.text;
  }
  return { text: current, blocked: undefined };
}

function filterValue<T>(guardrails: readonly TextGuardrail[], whole: T, tell: Tell): T {
  const checked = (text: string): string => {
    const verdict = checkText(guardrails, text, tell);
    if (verdict.blocked) throw verdict.blocked;
    return verdict.text;
  };
  const filtered = (value: unknown): unknown => {
    if (typeof value === "string") return checked(value);
    if (typeof value === "number") {
      const text = checked(String(value)); // a card's number may come as a JSON number
      return text === String(value) ? value : text;
    }
    if (Array.isArray(value)) return value.map(filtered);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [checked(key), filtered(item)]));
  };
  return filtered(whole) as T;
}

/** One guardrail at work on an answer. */
interface Link {
  guardrail: Guardrail;
  /** Passes text on, or throws when it is blocked. */
  push(text: string): string;
  end(): string;
  limit: AnswerLimit | undefined;
  /** What it found in the answer, and in what tools were given and gave. */
  found: { hits: number; reason: string | undefined };
  hits(): number;
}

function openChain(guardrails: readonly Guardrail[]): ChainStream {
  const links = guardrails.map(openLink);
  const linkOf = new Map<Guardrail, Link>(links.map((link) => [link.guardrail, link]));
  const limits = links.filter(({ limit }) => limit !== undefined);
  const texts = guardrails.filter((guardrail) => "check" in guardrail);

  return {
    push(piece) {
      let text = piece;
      for (const link of limits) text = taken(link, text);
      for (const link of links) {
        if (text === "") return "";
        text = link.push(text);
      }
      return text;
    },
    get isComplete() {
      return limits.some(({ limit }) => limit?.isReached);
    },
    end() {
      let text = "";
      for (const link of links) text = (text === "" ? "" : link.push(text)) + link.end();
      return text;
    },
    filterValue: (value) =>
      filterValue(texts, value, (guardrail, hits, reason) => {
        const link = linkOf.get(guardrail);
        if (link === undefined) return;
        link.found.hits += hits;
        link.found.reason ??= reason;
      }),
    reports: () =>
      links.map(({ guardrail, found, hits }) => report(guardrail, found.hits + hits(), found.reason)),
  };
}

function openLink(guardrail: Guardrail): Link {
  const found: Link["found"] = { hits: 0, reason: undefined };
  if ("limit" in guardrail) {
    const limit = guardrail.limit();
    return { guardrail, push: (text) => text, end: () => "", limit, found, hits: () => limit.hits };
  }
  const stream = guardrail.open();
  const passed = (text: string): string => {
    if (stream.blocked === undefined) return text;
    found.reason = stream.blocked;
    throw refusal(guardrail, stream.blocked);
  };
  return {
    guardrail,
    push: (text) => passed(stream.push(text)),
    end: () => passed(stream.end()),
    limit: undefined,
    found,
    hits: () => stream.hits,
  };
}

function taken({ guardrail, limit, found }: Link, piece: string): string {
  const text = limit?.take(piece) ?? piece;
  if (limit?.blocked === undefined) return text;
  found.reason = limit.blocked;
  throw refusal(guardrail, limit.blocked);
}

function report({ type, stage, action }: Guardrail, hits: number, reason?: string): GuardrailReport {
  const outcomes = { redact: "redacted", warn: "warned", log: "logged", block: "blocked" } as const;
  const outcome = reason !== undefined ? "blocked" : hits === 0 ? "passed" : outcomes[action];
  return { type, stage, action, outcome, hits };
}

function refusal({ type, stage }: Guardrail, reason: string): AppError {
  const message = `The ${stage} was refused by the guardrail ${type}: ${reason}.`;
  return new AppError("unprocessable", "guardrail_blocked", message, { details: { facts: { type, stage } } });
}
