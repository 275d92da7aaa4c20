import { AppError } from "../../kit/app-error.ts";
import { atOnce, type Work } from "../../kit/concurrency/others-turn.ts";
import type { GuardrailAction, GuardrailStage } from "../../manifest/agent/guardrails.ts";
import type { Guardrail, GuardrailVerdict, TextGuardrail } from "./guardrail.ts";
import { type TextBudget, TextTooCostly } from "./text-budget.ts";

/** Result of one guardrail for a text; `hits` is 0 if it found nothing. */
export interface GuardrailReport {
  type: string;
  stage: GuardrailStage;
  action: GuardrailAction;
  /** `unchecked`: the check would take more work than one text may, and `on_error` lets the text pass. */
  outcome: "passed" | "redacted" | "warned" | "logged" | "blocked" | "unchecked";
  hits: number;
}

/** Result of a chain for a text. With `blocked` the text must not be used, and later guardrails have not checked it. */
export interface ChainVerdict {
  text: string;
  /** One report per guardrail that checked the text, in order. */
  reports: GuardrailReport[];
  /** AppError `guardrail_blocked` (422) with `facts` {type, stage}. */
  blocked: AppError | undefined;
}

// biome-ignore lint/correctness/useYield: there is no work to do.
export function* untouched<T>(value: T): Work<T> {
  return value;
}

/** Findings of a guardrail in a text; `isUnchecked`: it could not check the whole text and lets it pass. */
export interface Found {
  hits: number;
  /** Reason of a block. */
  reason?: string | undefined;
  isUnchecked?: boolean;
}

/** Reports the findings of each guardrail that checked a text. */
export type Tell = (guardrail: TextGuardrail, found: Found) => void;

export const tooCostly =
  "checking it takes more work than one text may; shorten the text, or give the agent fewer or simpler guardrails";

export function* checkText(
  guardrails: readonly TextGuardrail[],
  text: string,
  budget: TextBudget,
  tell: Tell,
): Work<Checked> {
  let current = text;
  for (const guardrail of guardrails) {
    const verdict =
      guardrail.checkShort?.(current, budget) ?? (yield* withinBudget(guardrail.check(current, budget)));
    const judged = judge(guardrail, verdict, current, tell);
    if (typeof judged !== "string") return judged;
    current = judged;
  }
  return { text: current, blocked: undefined };
}

type Checked = Pick<ChainVerdict, "text" | "blocked">;

/** As `checkText`, without pauses and without objects of its own: for short texts, of which a run has many. */
export function checkAtOnce(
  guardrails: readonly TextGuardrail[],
  text: string,
  budget: TextBudget,
  tell: Tell,
): Checked {
  let current = text;
  for (const guardrail of guardrails) {
    const verdict =
      guardrail.checkShort?.(current, budget) ?? atOnce(withinBudget(guardrail.check(current, budget)));
    const judged = judge(guardrail, verdict, current, tell);
    if (typeof judged !== "string") return judged;
    current = judged;
  }
  return { text: current, blocked: undefined };
}

/** Reports a verdict, undefined if there is none within the budget. Returns the text to go on with, or the block. */
function judge(
  guardrail: TextGuardrail,
  verdict: GuardrailVerdict | undefined,
  text: string,
  tell: Tell,
): string | Checked {
  if (verdict === undefined) {
    const isPassed = guardrail.onError === "pass";
    tell(guardrail, isPassed ? { hits: 0, isUnchecked: true } : { hits: 0, reason: tooCostly });
    return isPassed ? text : { text: "", blocked: refusal(guardrail, tooCostly) };
  }
  const { hits } = verdict;
  if (verdict.outcome === "blocked") {
    tell(guardrail, { hits, reason: verdict.reason });
    return { text: "", blocked: refusal(guardrail, verdict.reason) };
  }
  tell(guardrail, { hits });
  return verdict.text;
}

/** Result of the work; undefined if it takes more than one text may. */
export function* withinBudget<T>(work: Work<T>): Work<T | undefined> {
  try {
    return yield* work;
  } catch (thrown) {
    if (thrown instanceof TextTooCostly) return undefined;
    throw thrown;
  }
}

/** Steps per text in a value, in addition to those of its guardrails. */
const textSteps = 50;

export function* filterValue<T>(
  guardrails: readonly TextGuardrail[],
  whole: T,
  budget: TextBudget,
  tell: Tell,
): Work<T> {
  if (guardrails.every(({ checkShort }) => checkShort !== undefined) && isSmall(whole))
    return filterSmall(guardrails, whole, budget, tell);
  const checked = function* (text: string): Work<string> {
    if (countText(budget)) yield;
    const verdict = yield* checkText(guardrails, text, budget, tell);
    if (verdict.blocked) throw verdict.blocked;
    return verdict.text;
  };
  const filtered = function* (value: unknown): Work<unknown> {
    if (typeof value === "string") return yield* checked(value);
    if (typeof value === "number") {
      const text = yield* checked(String(value)); // a card number may be a JSON number
      return text === String(value) ? value : text;
    }
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(yield* filtered(item));
      return items;
    }
    if (typeof value !== "object" || value === null) return value;
    const entries: [string, unknown][] = [];
    for (const [key, item] of Object.entries(value)) {
      entries.push([yield* checked(key), yield* filtered(item)]);
    }
    return Object.fromEntries(entries);
  };
  return (yield* filtered(whole)) as T;
}

/** Values of this number and texts of this length are filtered without pauses. */
const smallValues = 24;
const smallLength = 128;

/** Returns true for a value with few short texts, as most arguments and results of tools are. */
function isSmall(whole: unknown): boolean {
  let left = smallValues;
  const fits = (value: unknown): boolean => {
    if (--left < 0) return false;
    if (typeof value === "string") return value.length <= smallLength;
    if (typeof value !== "object" || value === null) return true;
    if (Array.isArray(value)) return value.every(fits);
    return Object.keys(value).every((key) => key.length <= smallLength && fits(Reflect.get(value, key)));
  };
  return fits(whole);
}

/** As `filterValue`, at once: generators for each text would take longer than the checks. */
function filterSmall<T>(guardrails: readonly TextGuardrail[], whole: T, budget: TextBudget, tell: Tell): T {
  const checked = (text: string): string => {
    countText(budget);
    const verdict = checkAtOnce(guardrails, text, budget, tell);
    if (verdict.blocked) throw verdict.blocked;
    return verdict.text;
  };
  return filteredBy(checked, whole) as T;
}

function filteredBy(checked: (text: string) => string, value: unknown): unknown {
  if (typeof value === "string") return checked(value);
  if (typeof value === "number") {
    const text = checked(String(value)); // a card number may be a JSON number
    return text === String(value) ? value : text;
  }
  // Most values leave as they came, so they are copied only for a change.
  if (Array.isArray(value)) {
    const items = value.map((item) => filteredBy(checked, item));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (typeof value !== "object" || value === null) return value;
  let copy: [string, unknown][] | undefined;
  const keys = Object.keys(value);
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? "";
    const before: unknown = Reflect.get(value, key);
    const name = checked(key);
    const after = filteredBy(checked, before);
    if (copy === undefined && (name !== key || after !== before))
      copy = keys.slice(0, at).map((kept) => [kept, Reflect.get(value, kept)]);
    copy?.push([name, after]);
  }
  return copy === undefined ? value : Object.fromEntries(copy);
}

/** Returns true if the work should pause. If the budget is used up, the next guardrail notices. */
function countText(budget: TextBudget): boolean {
  try {
    return budget.spend(textSteps);
  } catch (thrown) {
    if (thrown instanceof TextTooCostly) return false;
    throw thrown;
  }
}

const outcomes = { redact: "redacted", warn: "warned", log: "logged", block: "blocked" } as const;

export function report(
  { type, stage, action }: Guardrail,
  { hits, reason, isUnchecked = false }: Found,
): GuardrailReport {
  const judged = isUnchecked ? "unchecked" : hits === 0 ? "passed" : outcomes[action];
  const outcome = reason === undefined ? judged : "blocked";
  return { type, stage, action, outcome, hits };
}

export function refusal({ type, stage }: Guardrail, reason: string): AppError {
  const message = `The ${stage} was refused by the guardrail ${type}: ${reason}.`;
  return new AppError("unprocessable", "guardrail_blocked", message, { details: { facts: { type, stage } } });
}
