import type { Work } from "../../kit/concurrency/others-turn.ts";
import {
  type Found,
  filterValue,
  type GuardrailReport,
  refusal,
  report,
  tooCostly,
  untouched,
  withinBudget,
} from "./check-text.ts";
import type { AnswerLimit, Guardrail, GuardrailStream, LimitGuardrail, TextGuardrail } from "./guardrail.ts";
import type { TextBudget } from "./text-budget.ts";

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
  /** As `end`, at once; undefined, and nothing is done, if it needs `end`. Throws `guardrail_blocked`. */
  endShort(): string | undefined;
  /** As `filterValue` of the chain; its findings count in the reports. */
  filterValue<T>(value: T): Work<T>;
  /** One report per guardrail, in order; complete after `end`, even if something threw. */
  reports(): GuardrailReport[];
}

/** Guardrails that check one answer in definition order. Classes, because every run opens one: see `ChainStream`. */
export class AnswerChain implements ChainStream {
  readonly #texts: readonly TextGuardrail[];
  readonly #newBudget: () => TextBudget;
  readonly #links: readonly Link[];

  constructor(
    guardrails: readonly Guardrail[],
    texts: readonly TextGuardrail[],
    newBudget: () => TextBudget,
  ) {
    this.#texts = texts;
    this.#newBudget = newBudget;
    const budget = newBudget();
    this.#links = guardrails.map((guardrail) =>
      "limit" in guardrail ? new LimitLink(guardrail) : new TextLink(guardrail, budget),
    );
  }

  *push(piece: string): Work<string> {
    let text = piece;
    for (const link of this.#links) text = link.take(text);
    for (const link of this.#links) {
      if (text === "") return "";
      text = yield* link.push(text);
    }
    return text;
  }

  pushShort(piece: string): string | undefined {
    // With several guardrails, the first might take a piece that the second can't.
    return piece === "" || this.#links.length > 1 ? undefined : this.#links[0]?.pushShort(piece);
  }

  get isComplete(): boolean {
    for (const link of this.#links) if (link.isReached) return true;
    return false;
  }

  *end(): Work<string> {
    let text = "";
    for (const link of this.#links) text = (text === "" ? "" : yield* link.push(text)) + (yield* link.end());
    return text;
  }

  endShort(): string | undefined {
    return this.#links.length > 1 ? undefined : this.#links[0]?.endShort();
  }

  filterValue<T>(value: T): Work<T> {
    return filterValue(this.#texts, value, this.#newBudget(), (guardrail, found) => {
      const { hits, reason, isUnchecked } = found;
      if (hits === 0 && reason === undefined && isUnchecked !== true) return;
      this.#links.find((link) => link.guardrail === guardrail)?.add(found);
    });
  }

  reports(): GuardrailReport[] {
    return this.#links.map((link) => link.report());
  }
}

/** One guardrail that checks an answer. */
abstract class Link {
  abstract readonly guardrail: Guardrail;
  /** Findings in tool arguments and results, and the reason of a block. */
  protected readonly found: Found = { hits: 0 };

  /** Takes the next piece of the answer as it comes from the model. Throws if the answer is blocked. */
  take(piece: string): string {
    return piece;
  }

  /** True once the answer has reached a limit. */
  get isReached(): boolean {
    return false;
  }

  /** Passes text on, or throws if it is blocked. */
  abstract push(text: string): Work<string>;
  abstract pushShort(text: string): string | undefined;
  abstract end(): Work<string>;
  abstract endShort(): string | undefined;
  /** Findings in the answer. */
  protected abstract readonly hits: number;

  add({ hits, reason, isUnchecked }: Found): void {
    this.found.hits += hits;
    this.found.reason ??= reason;
    if (isUnchecked) this.found.isUnchecked = true;
  }

  report(): GuardrailReport {
    return report(this.guardrail, { ...this.found, hits: this.found.hits + this.hits });
  }

  protected block(reason: string): never {
    this.found.reason = reason;
    throw refusal(this.guardrail, reason);
  }
}

class LimitLink extends Link {
  readonly guardrail: LimitGuardrail;
  readonly #limit: AnswerLimit;

  constructor(guardrail: LimitGuardrail) {
    super();
    this.guardrail = guardrail;
    this.#limit = guardrail.limit();
  }

  override take(piece: string): string {
    const text = this.#limit.take(piece);
    return this.#limit.blocked === undefined ? text : this.block(this.#limit.blocked);
  }

  override get isReached(): boolean {
    return this.#limit.isReached;
  }

  push(text: string): Work<string> {
    return untouched(text);
  }

  pushShort(): undefined {
    return undefined;
  }

  end(): Work<string> {
    return untouched("");
  }

  endShort(): string {
    return "";
  }

  protected get hits(): number {
    return this.#limit.hits;
  }
}

class TextLink extends Link {
  readonly guardrail: TextGuardrail;
  readonly #stream: GuardrailStream;
  #isGivenUp = false;

  constructor(guardrail: TextGuardrail, budget: TextBudget) {
    super();
    this.guardrail = guardrail;
    this.#stream = guardrail.open(budget);
  }

  push(text: string): Work<string> {
    return this.#isGivenUp ? untouched(text) : this.#passed(this.#stream.push(text));
  }

  pushShort(text: string): string | undefined {
    return this.#isGivenUp ? text : this.#shown(this.#stream.pushShort?.(text));
  }

  end(): Work<string> {
    return this.#isGivenUp ? untouched("") : this.#passed(this.#stream.end());
  }

  endShort(): string | undefined {
    return this.#isGivenUp ? "" : this.#shown(this.#stream.endShort?.());
  }

  protected get hits(): number {
    return this.#stream.hits;
  }

  #shown(text: string | undefined): string | undefined {
    if (this.#stream.blocked !== undefined) this.block(this.#stream.blocked);
    return text;
  }

  *#passed(work: Work<string>): Work<string> {
    const text = yield* withinBudget(work);
    if (this.#stream.blocked !== undefined) this.block(this.#stream.blocked);
    if (text !== undefined) return text;
    if (this.guardrail.onError !== "pass") this.block(tooCostly);
    this.found.isUnchecked = true;
    this.#isGivenUp = true;
    return this.#stream.giveUp();
  }
}
