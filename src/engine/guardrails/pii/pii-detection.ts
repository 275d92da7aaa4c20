import { type Static, Type } from "@sinclair/typebox";
import type { Work } from "../../../kit/concurrency/others-turn.ts";
import type { GuardrailAction, GuardrailStage } from "../../../manifest/agent/guardrails.ts";
import type { GuardrailStream, GuardrailVerdict, TextGuardrail } from "../guardrail.ts";
import { isAffordable, shortLength, type TextBudget } from "../text-budget.ts";
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
    open: (budget) => new PiiStream(action, entities, budget),
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

const piiSign = /[0-9@]/;

function mayHoldPii(text: string): boolean {
  return piiSign.test(text);
}

function* verdict(
  text: string,
  action: GuardrailAction,
  entities: ReadonlySet<PiiEntity>,
  budget: TextBudget,
): Work<GuardrailVerdict> {
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
): GuardrailVerdict | undefined {
  if (text.length > shortLength) return undefined;
  if (!mayHoldPii(text)) return { outcome: "passed", text, hits: 0 };
  if (!isAffordable(budget, stepsFor(text))) return undefined;
  const decider = new Decider(entities);
  return verdictOf(text, decider.decide(text, true), action, decider);
}

function verdictOf(text: string, clean: string, action: GuardrailAction, decider: Decider): GuardrailVerdict {
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

function reasonFor(entities: readonly PiiEntity[]): string {
  return `it contains personal data (${entities.join(", ")})`;
}

const noMatches: readonly PiiMatch[] = [];

/** Decides piece by piece which parts of a text are personal data. The result does not depend on the pieces. */
class Decider {
  readonly #entities: ReadonlySet<PiiEntity>;
  /** Kinds of data found. */
  found: readonly PiiEntity[] = [];
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
    const piiMatches = mayHoldPii(text) ? findPii(text, this.#entities, from, this.#taken) : noMatches;
    let decided = complete ? text.length : undecidedFrom(text, this.#entities, from);
    const matches = piiMatches.length === 0 ? piiMatches : piiMatches.filter(({ start }) => start < decided);
    decided = Math.max(decided, matches.at(-1)?.end ?? 0);
    if (!complete) decided = wholeCharacters(text, from, decided);
    this.hits += matches.length;
    if (matches.length > 0)
      this.found = [...new Set([...this.found, ...matches.map(({ entity }) => entity)])];
    const contextStart = Math.max(0, decided - PII_CONTEXT);
    this.#context = text.slice(contextStart, decided);
    this.#taken = Math.max(0, (matches.at(-1)?.end ?? this.#taken) - contextStart);
    this.#pending = text.slice(decided);
    return matches.length === 0 ? text.slice(from, decided) : redacted(text, from, decided, matches);
  }

  /** Fast path for pieces without possible matches, which most are: the context only grows. */
  #passWords(fresh: string): string {
    const decided = wholeCharacters(fresh, 0, undecidedFrom(fresh, this.#entities, 0));
    const passedMatches = fresh.slice(0, decided);
    this.#pending = fresh.slice(decided);
    this.#context += passedMatches;
    if (this.#context.length > CONTEXT_MAX) {
      const forgotten = this.#context.length - PII_CONTEXT;
      this.#context = this.#context.slice(forgotten);
      this.#taken = Math.max(0, this.#taken - forgotten);
    }
    return passedMatches;
  }
}

class PiiStream implements GuardrailStream {
  readonly #action: GuardrailAction;
  readonly #budget: TextBudget;
  readonly #decider: Decider;
  /** With `block`, nothing may be shown before the end. */
  #held = "";
  #blocked: string | undefined;
  /** Text taken but not shown: with `redact` the decider's undecided text, then the piece in progress. */
  #waiting = "";

  constructor(action: GuardrailAction, entities: ReadonlySet<PiiEntity>, budget: TextBudget) {
    this.#action = action;
    this.#budget = budget;
    this.#decider = new Decider(entities);
  }

  get blocked(): string | undefined {
    return this.#blocked;
  }

  get hits(): number {
    return this.#decider.hits;
  }

  push(piece: string): Work<string> {
    return this.#show(piece, false);
  }

  pushShort(piece: string): string | undefined {
    return this.#showShort(piece, false);
  }

  end(): Work<string> {
    return this.#show("", true);
  }

  endShort(): string | undefined {
    return this.#showShort("", true);
  }

  giveUp(): string {
    return this.#action === "block" ? this.#held : this.#waiting;
  }

  *#show(piece: string, complete: boolean): Work<string> {
    if (this.#blocked !== undefined) return "";
    if (this.#action === "block") this.#held += piece;
    this.#waiting = (this.#action === "redact" ? this.#decider.pending : "") + piece;
    const decided = yield* decideInSlices(this.#decider, piece, complete, this.#budget);
    return this.#told(piece, decided, complete);
  }

  #showShort(piece: string, complete: boolean): string | undefined {
    if (piece.length > shortLength || this.#blocked !== undefined) return undefined;
    if (!isAffordable(this.#budget, stepsFor(piece))) return undefined;
    if (this.#action === "block") this.#held += piece;
    return this.#told(piece, this.#decider.decide(piece, complete), complete);
  }

  /** The part of a piece that may be shown, once it is searched. */
  #told(piece: string, decided: string, complete: boolean): string {
    this.#waiting = this.#action === "redact" ? this.#decider.pending : "";
    if (this.#action === "block" && this.#decider.hits > 0) this.#blocked ??= reasonFor(this.#decider.found);
    if (this.#action === "redact") return decided;
    if (this.#action !== "block") return piece;
    return complete && this.#blocked === undefined ? this.#held : "";
  }
}

/** Returns `end`, or one less if the text up to `end` would split a surrogate pair. */
function wholeCharacters(text: string, from: number, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end > from && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
