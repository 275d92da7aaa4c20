import { type Static, Type } from "@sinclair/typebox";
import type { Work } from "../../../kit/concurrency/others-turn.ts";
import type {
  GuardrailAction,
  GuardrailStage,
  GuardrailStream,
  TextGuardrail,
  Verdict,
} from "../guardrail.ts";
import { type TextBudget, TextTooCostly } from "../text-budget.ts";
import {
  findPii,
  PII_CONTEXT,
  type PiiEntity,
  type PiiMatch,
  piiEntities,
  undecidedFrom,
} from "./find-pii.ts";

export const piiOptions = Type.Object(
  {
    entities: Type.Array(Type.Union(piiEntities.map((entity) => Type.Literal(entity))), {
      description: "What is looked for: email, phone, ssn, credit_card.",
      minItems: 1,
      uniqueItems: true,
      default: [...piiEntities],
    }),
  },
  { additionalProperties: false },
);

/** Context is shortened only above this length, because cutting it at each piece would cost more than keeping it. */
const CONTEXT_MAX = 16 * PII_CONTEXT;

const placeholders: Record<PiiEntity, string> = {
  email: "[EMAIL]",
  phone: "[PHONE]",
  ssn: "[SSN]",
  credit_card: "[CREDIT_CARD]",
};

/** A piece up to this length is searched without a pause: it takes less than a millisecond. */
const shortLength = 128;

/** Characters searched at once. */
const sliceLength = 2048;

/** Finds personal data; redacting replaces each match with a placeholder. */
export function piiDetection(
  type: string,
  stage: GuardrailStage,
  action: GuardrailAction,
  options: Partial<Static<typeof piiOptions>>,
): TextGuardrail {
  const entities = new Set<PiiEntity>(options.entities ?? piiEntities);
  return {
    type,
    stage,
    action,
    check: (text, budget) => verdict(text, action, entities, budget),
    checkShort: (text, budget) => shortVerdict(text, action, entities, budget),
    open: (budget) => openStream(action, entities, budget),
  };
}

/** Steps for searching a text: possible addresses and numbers cost more than words. */
function stepsFor(text: string): number {
  let steps = text.length;
  let wasDigit = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isDigit = code >= 0x30 && code <= 0x39;
    if (isDigit && !wasDigit) steps += 200;
    if (code === 0x40) steps += 50;
    wasDigit = isDigit;
  }
  return steps;
}

function* decideInSlices(
  decider: Decider,
  piece: string,
  complete: boolean,
  budget: TextBudget,
): Work<string> {
  let text = "";
  let at = 0;
  do {
    const slice = piece.slice(at, at + sliceLength);
    at += sliceLength;
    if (budget.spend(stepsFor(slice))) yield;
    text += decider.decide(slice, complete && at >= piece.length);
  } while (at < piece.length);
  return text;
}

function mayHoldPii(text: string): boolean {
  return /[0-9@]/.test(text);
}

function* verdict(
  text: string,
  action: GuardrailAction,
  entities: ReadonlySet<PiiEntity>,
  budget: TextBudget,
): Work<Verdict> {
  if (!mayHoldPii(text)) return { outcome: "passed", text, hits: 0 };
  const decider = new Decider(entities);
  const clean = yield* decideInSlices(decider, text, true, budget);
  return verdictOf(text, clean, action, decider);
}

function shortVerdict(
  text: string,
  action: GuardrailAction,
  entities: ReadonlySet<PiiEntity>,
  budget: TextBudget,
): Verdict | undefined {
  if (text.length > shortLength) return undefined;
  if (!mayHoldPii(text)) return { outcome: "passed", text, hits: 0 };
  if (!isAffordable(budget, text)) return undefined;
  const decider = new Decider(entities);
  return verdictOf(text, decider.decide(text, true), action, decider);
}

/** Counts the steps for a text; false if they are too many. `check` and `push` then spend too much as well, and say so. */
function isAffordable(budget: TextBudget, text: string): boolean {
  try {
    budget.spend(stepsFor(text));
    return true;
  } catch (thrown) {
    if (thrown instanceof TextTooCostly) return false;
    throw thrown;
  }
}

function verdictOf(text: string, clean: string, action: GuardrailAction, decider: Decider): Verdict {
  const { hits } = decider;
  if (hits === 0) return { outcome: "passed", text, hits };
  if (action === "block") return { outcome: "blocked", reason: reasonFor(decider.found), hits };
  return action === "redact" ? { outcome: "redacted", text: clean, hits } : { outcome: "passed", text, hits };
}

function redacted(text: string, from: number, to: number, matches: readonly PiiMatch[]): string {
  let result = "";
  let at = from;
  for (const { entity, start, end } of matches) {
    result += text.slice(at, start) + placeholders[entity];
    at = end;
  }
  return result + text.slice(at, to);
}

function reasonFor(found: ReadonlySet<PiiEntity>): string {
  return `it contains personal data (${[...found].join(", ")})`;
}

/** Decides piece by piece which parts of a text are personal data. The result does not depend on the pieces. */
class Decider {
  readonly #entities: ReadonlySet<PiiEntity>;
  /** Kinds of data found. */
  readonly found = new Set<PiiEntity>();
  hits = 0;
  /** Decided text that is context for the next piece, and text that is still undecided. */
  #context = "";
  #pending = "";
  /** End of the last match in the context. */
  #taken = 0;

  constructor(entities: ReadonlySet<PiiEntity>) {
    this.#entities = entities;
  }

  /** Text that is not decided yet. */
  get pending(): string {
    return this.#pending;
  }

  /** Takes the next piece and returns the text that is now decided, with placeholders for matches. */
  decide(piece: string, complete: boolean): string {
    const fresh = this.#pending + piece;
    if (fresh === "") return "";
    if (!complete && !mayHoldPii(fresh)) return this.#passWords(fresh);
    const text = this.#context + fresh;
    const from = this.#context.length;
    const found = mayHoldPii(text) ? findPii(text, this.#entities, from, this.#taken) : [];
    let decided = complete ? text.length : undecidedFrom(text, this.#entities, from);
    const matches = found.filter(({ start }) => start < decided);
    decided = Math.max(decided, matches.at(-1)?.end ?? 0);
    if (!complete) decided = wholeCharacters(text, from, decided);
    this.hits += matches.length;
    for (const { entity } of matches) this.found.add(entity);
    const contextStart = Math.max(0, decided - PII_CONTEXT);
    this.#context = text.slice(contextStart, decided);
    this.#taken = Math.max(0, (matches.at(-1)?.end ?? this.#taken) - contextStart);
    this.#pending = text.slice(decided);
    return redacted(text, from, decided, matches);
  }

  /** Fast path for pieces without possible matches, which most are: the context only grows. */
  #passWords(fresh: string): string {
    const decided = wholeCharacters(fresh, 0, undecidedFrom(fresh, this.#entities, 0));
    const shown = fresh.slice(0, decided);
    this.#pending = fresh.slice(decided);
    this.#context += shown;
    if (this.#context.length > CONTEXT_MAX) {
      const forgotten = this.#context.length - PII_CONTEXT;
      this.#context = this.#context.slice(forgotten);
      this.#taken = Math.max(0, this.#taken - forgotten);
    }
    return shown;
  }
}

function openStream(
  action: GuardrailAction,
  entities: ReadonlySet<PiiEntity>,
  budget: TextBudget,
): GuardrailStream {
  const decider = new Decider(entities);
  /** With `block`, nothing may be shown before the end. */
  let held = "";
  let blocked: string | undefined;
  /** Text taken but not shown: with `redact` the decider's undecided text, then the piece in progress. */
  let waiting = "";

  const show = function* (piece: string, complete: boolean): Work<string> {
    if (blocked !== undefined) return "";
    if (action === "block") held += piece;
    waiting = (action === "redact" ? decider.pending : "") + piece;
    const decided = yield* decideInSlices(decider, piece, complete, budget);
    return told(piece, decided, complete);
  };

  /** The part of a piece that may be shown, once it is searched. */
  const told = (piece: string, decided: string, complete: boolean): string => {
    waiting = action === "redact" ? decider.pending : "";
    if (action === "block" && decider.hits > 0) blocked ??= reasonFor(decider.found);
    if (action === "redact") return decided;
    if (action !== "block") return piece;
    return complete && blocked === undefined ? held : "";
  };

  return {
    push: (piece) => show(piece, false),
    pushShort(piece) {
      if (piece.length > shortLength || blocked !== undefined || !isAffordable(budget, piece))
        return undefined;
      if (action === "block") held += piece;
      return told(piece, decider.decide(piece, false), false);
    },
    end: () => show("", true),
    giveUp: () => (action === "block" ? held : waiting),
    get blocked() {
      return blocked;
    },
    get hits() {
      return decider.hits;
    },
  };
}

/** Returns `end`, or one less if the text up to `end` would split a surrogate pair. */
function wholeCharacters(text: string, from: number, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end > from && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
