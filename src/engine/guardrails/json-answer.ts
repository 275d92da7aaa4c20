import { countSteps, type Work } from "../../kit/concurrency/others-turn.ts";
import type { ChainStream } from "./answer-chain.ts";
import type { GuardrailReport } from "./check-text.ts";
import { EscapeReader, withEscapes } from "./json-escapes.ts";
import { shortLength } from "./text-budget.ts";

/** Characters that are rewritten at once, and the steps of one: an escape takes 100 ns. */
const sliceLength = 16_384;
const stepsPerCharacter = 2;

/** The checks of an answer that is read as JSON. They see the characters of its values, and its text leaves as equal JSON. */
export class JsonAnswer implements ChainStream {
  readonly #chain: ChainStream;
  readonly #escapes = new EscapeReader();

  constructor(chain: ChainStream) {
    this.#chain = chain;
  }

  *push(piece: string): Work<string> {
    const text = yield* rewritten(piece, (slice) => this.#escapes.read(slice));
    return text === "" ? "" : yield* rewritten(yield* this.#chain.push(text), withEscapes);
  }

  pushShort(piece: string): string | undefined {
    if (!this.#escapes.isPlain(piece)) return undefined;
    const checkedText = this.#chain.pushShort(piece);
    return checkedText === undefined ? undefined : withEscapes(checkedText);
  }

  get isComplete(): boolean {
    return this.#chain.isComplete;
  }

  *end(): Work<string> {
    const rest = this.#escapes.rest();
    const checkedText = rest === "" ? "" : yield* this.#chain.push(rest);
    return yield* rewritten(checkedText + (yield* this.#chain.end()), withEscapes);
  }

  endShort(): string | undefined {
    if (!this.#escapes.isPlain("")) return undefined;
    const checkedText = this.#chain.endShort();
    return checkedText === undefined ? undefined : withEscapes(checkedText);
  }

  filterValue<T>(value: T): Work<T> {
    return this.#chain.filterValue(value);
  }

  reports(): GuardrailReport[] {
    return this.#chain.reports();
  }
}

/** Passes a whole text that is read as JSON through `filter`. */
export function* filterJsonText(text: string, filter: (text: string) => Work<string>): Work<string> {
  const escapes = new EscapeReader();
  const read = yield* rewritten(text, (slice) => escapes.read(slice));
  return yield* rewritten(yield* filter(read + escapes.rest()), withEscapes);
}

function* rewritten(text: string, rewrite: (slice: string) => string): Work<string> {
  if (text.length <= shortLength) return rewrite(text);
  let result = "";
  for (let at = 0; at < text.length; at += sliceLength) {
    const slice = text.slice(at, at + sliceLength);
    result += rewrite(slice);
    if (countSteps(slice.length * stepsPerCharacter)) yield;
  }
  return result;
}
