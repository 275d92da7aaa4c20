import { AppError } from "../../kit/app-error.ts";
import { atOnce, type Work } from "../../kit/concurrency/others-turn.ts";
import type { AnswerLimit, Guardrail, GuardrailAction, GuardrailStage, TextGuardrail } from "./guardrail.ts";
import { createTextBudget, type TextBudget, type TextBudgetOptions, TextTooCostly } from "./text-budget.ts";

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

/** The checks of one answer and of the tool arguments and results on the way to it. They run one after the other. */
export interface ChainStream {
  /** Takes the next piece and returns the text that may be shown now. Throws `guardrail_blocked`. */
  push(piece: string): Work<string>;
  /** As `push`, at once, for a short piece; undefined, and nothing is done, if it needs `push`. Throws `guardrail_blocked`. */
  pushShort(piece: string): string | undefined;
  /** True once the answer has reached its limit: nothing more is needed from the model. */
  readonly isComplete: boolean;
  /** The answer is complete: returns the rest. Throws `guardrail_blocked`. */
  end(): Work<string>;
  /** As `filterValue` of the chain; its findings count in the reports. */
  filterValue<T>(value: T): Work<T>;
  /** One report per guardrail, in order; complete after `end`, even if something threw. */
  reports(): GuardrailReport[];
}

/** The guardrails of one stage in definition order. Each checks the text that the previous one returned. */
export interface GuardrailChain {
  readonly length: number;
  /** True if a guardrail may end an answer and thereby the model's call. */
  readonly limitsAnswers: boolean;
  check(text: string): Work<ChainVerdict>;
  open(): ChainStream;
  /** Checks each string, key and number of a JSON value separately: for tool arguments and results. Throws `guardrail_blocked`. */
  filterValue<T>(value: T): Work<T>;
}

/**
 * Creates a chain of `guardrails`. An empty chain passes everything unchanged. The guardrails share one budget of work per text: a message,
 * an answer, or the arguments or result of a tool.
 */
export function createGuardrailChain(
  guardrails: readonly Guardrail[],
  budgetOptions: TextBudgetOptions = {},
): GuardrailChain {
  if (guardrails.length === 0) return emptyChain;
  const texts = guardrails.filter((guardrail) => "check" in guardrail);
  const newBudget = () => createTextBudget(budgetOptions);
  return {
    length: guardrails.length,
    limitsAnswers: guardrails.some(
      (guardrail) => "limit" in guardrail && guardrail.action !== "warn" && guardrail.action !== "log",
    ),
    *check(text) {
      const reports: GuardrailReport[] = [];
      const { text: checked, blocked } = yield* checkText(texts, text, newBudget(), (guardrail, found) =>
        reports.push(report(guardrail, found)),
      );
      return { text: checked, reports, blocked };
    },
    open: () => openChain(guardrails, newBudget),
    filterValue: (value) => filterValue(texts, value, newBudget(), () => {}),
  };
}

const emptyChain: GuardrailChain = {
  length: 0,
  limitsAnswers: false,
  check: (text) => untouched({ text, reports: [], blocked: undefined }),
  open: () => ({
    push: untouched,
    pushShort: (piece) => piece,
    isComplete: false,
    end: () => untouched(""),
    filterValue: untouched,
    reports: () => [],
  }),
  filterValue: untouched,
};

// biome-ignore lint/correctness/useYield: there is no work to do.
function* untouched<T>(value: T): Work<T> {
  return value;
}

/** Findings of a guardrail in a text; `isUnchecked`: it could not check the whole text and lets it pass. */
interface Found {
  hits: number;
  /** Reason of a block. */
  reason?: string | undefined;
  isUnchecked?: boolean;
}

/** Reports the findings of each guardrail that checked a text. */
type Tell = (guardrail: TextGuardrail, found: Found) => void;

const tooCostly =
  "checking it takes more work than one text may; shorten the text, or give the agent fewer or simpler guardrails";

function* checkText(
  guardrails: readonly TextGuardrail[],
  text: string,
  budget: TextBudget,
  tell: Tell,
): Work<Pick<ChainVerdict, "text" | "blocked">> {
  let current = text;
  for (const guardrail of guardrails) {
    const verdict =
      guardrail.checkShort?.(current, budget) ?? (yield* withinBudget(guardrail.check(current, budget)));
    if (verdict === undefined) {
      const isPassed = guardrail.onError === "pass";
      tell(guardrail, isPassed ? { hits: 0, isUnchecked: true } : { hits: 0, reason: tooCostly });
      if (isPassed) continue;
      return { text: "", blocked: refusal(guardrail, tooCostly) };
    }
    const { hits } = verdict;
    if (verdict.outcome === "blocked") {
      tell(guardrail, { hits, reason: verdict.reason });
      return { text: "", blocked: refusal(guardrail, verdict.reason) };
    }
    tell(guardrail, { hits });
    current = verdict.text;
  }
  return { text: current, blocked: undefined };
}

/** Result of the work; undefined if it takes more than one text may. */
function* withinBudget<T>(work: Work<T>): Work<T | undefined> {
  try {
    return yield* work;
  } catch (thrown) {
    if (thrown instanceof TextTooCostly) return undefined;
    throw thrown;
  }
}

/** Steps per text in a value, in addition to those of its guardrails. */
const textSteps = 50;

function* filterValue<T>(
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
    const verdict = atOnce(checkText(guardrails, text, budget, tell));
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
  if (Array.isArray(value)) return value.map((item) => filteredBy(checked, item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [checked(key), filteredBy(checked, item)]),
  );
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

/** One guardrail that checks an answer. */
interface Link {
  guardrail: Guardrail;
  /** Passes text on, or throws if it is blocked. */
  push(text: string): Work<string>;
  pushShort(text: string): string | undefined;
  end(): Work<string>;
  limit: AnswerLimit | undefined;
  /** Findings in the answer and in tool arguments and results. */
  found: Found;
  hits(): number;
}

function openChain(guardrails: readonly Guardrail[], newBudget: () => TextBudget): ChainStream {
  const budget = newBudget();
  const links = guardrails.map((guardrail) => openLink(guardrail, budget));
  const linkOf = new Map<Guardrail, Link>(links.map((link) => [link.guardrail, link]));
  const limits = links.filter(({ limit }) => limit !== undefined);
  const texts = guardrails.filter((guardrail) => "check" in guardrail);

  return {
    *push(piece) {
      let text = piece;
      for (const link of limits) text = taken(link, text);
      for (const link of links) {
        if (text === "") return "";
        text = yield* link.push(text);
      }
      return text;
    },
    // With several guardrails, the first might take a piece that the second can't.
    pushShort: (piece) => (piece === "" || links.length > 1 ? undefined : links[0]?.pushShort(piece)),
    get isComplete() {
      return limits.some(({ limit }) => limit?.isReached);
    },
    *end() {
      let text = "";
      for (const link of links) text = (text === "" ? "" : yield* link.push(text)) + (yield* link.end());
      return text;
    },
    filterValue: (value) =>
      filterValue(texts, value, newBudget(), (guardrail, { hits, reason, isUnchecked }) => {
        const link = linkOf.get(guardrail);
        if (link === undefined) return;
        link.found.hits += hits;
        link.found.reason ??= reason;
        if (isUnchecked) link.found.isUnchecked = true;
      }),
    reports: () =>
      links.map(({ guardrail, found, hits }) => report(guardrail, { ...found, hits: found.hits + hits() })),
  };
}

function openLink(guardrail: Guardrail, budget: TextBudget): Link {
  const found: Link["found"] = { hits: 0 };
  if ("limit" in guardrail) {
    const limit = guardrail.limit();
    return {
      guardrail,
      push: untouched,
      pushShort: () => undefined,
      end: () => untouched(""),
      limit,
      found,
      hits: () => limit.hits,
    };
  }
  const stream = guardrail.open(budget);
  let isGivenUp = false;
  const block = (reason: string): never => {
    found.reason = reason;
    throw refusal(guardrail, reason);
  };
  const passed = function* (work: Work<string>): Work<string> {
    const text = yield* withinBudget(work);
    if (stream.blocked !== undefined) block(stream.blocked);
    if (text !== undefined) return text;
    if (guardrail.onError !== "pass") block(tooCostly);
    found.isUnchecked = true;
    isGivenUp = true;
    return stream.giveUp();
  };
  return {
    guardrail,
    push: (text) => (isGivenUp ? untouched(text) : passed(stream.push(text))),
    pushShort(text) {
      if (isGivenUp) return text;
      const shown = stream.pushShort?.(text);
      if (stream.blocked !== undefined) block(stream.blocked);
      return shown;
    },
    end: () => (isGivenUp ? untouched("") : passed(stream.end())),
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

function report(
  { type, stage, action }: Guardrail,
  { hits, reason, isUnchecked = false }: Found,
): GuardrailReport {
  const outcomes = { redact: "redacted", warn: "warned", log: "logged", block: "blocked" } as const;
  const judged = isUnchecked ? "unchecked" : hits === 0 ? "passed" : outcomes[action];
  const outcome = reason === undefined ? judged : "blocked";
  return { type, stage, action, outcome, hits };
}

function refusal({ type, stage }: Guardrail, reason: string): AppError {
  const message = `The ${stage} was refused by the guardrail ${type}: ${reason}.`;
  return new AppError("unprocessable", "guardrail_blocked", message, { details: { facts: { type, stage } } });
}
