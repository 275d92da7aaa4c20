const surrogate = /[\ud800-\udfff]/;

/** Whether code points and UTF-16 units of a text are the same. */
export function isPlain(text: string): boolean {
  return !surrogate.test(text);
}

/** A place in a text, counted in UTF-16 units and in code points. */
export interface Place {
  unit: number;
  point: number;
}

/**
 * Walks a text by code points. A move costs as much as it is long, or nothing in a plain text; cursors that only ever move on
 * a little make a pass over the whole text linear.
 */
export class CodePointCursor {
  readonly #text: string;
  readonly #isPlain: boolean;
  #unit = 0;
  #point = 0;

  constructor(text: string, plain = isPlain(text)) {
    this.#text = text;
    this.#isPlain = plain;
  }

  /** The place of that code point, or the text's end when there are fewer. */
  toPoint(point: number): Place {
    if (this.#isPlain) return this.#plain(Math.min(point, this.#text.length));
    while (this.#point < point && this.#unit < this.#text.length) this.#forward();
    while (this.#point > point) this.#back();
    return { unit: this.#unit, point: this.#point };
  }

  /** The place of that unit, which has to be the first of a code point, or the text's end. */
  toUnit(unit: number): Place {
    if (this.#isPlain) return this.#plain(unit);
    while (this.#unit < unit) this.#forward();
    while (this.#unit > unit) this.#back();
    return { unit: this.#unit, point: this.#point };
  }

  #plain(at: number): Place {
    return { unit: at, point: at };
  }

  #forward(): void {
    this.#unit += isPairAt(this.#text, this.#unit) ? 2 : 1;
    this.#point++;
  }

  #back(): void {
    this.#unit -= isPairAt(this.#text, this.#unit - 2) ? 2 : 1;
    this.#point--;
  }
}

/** Whether a surrogate pair begins at that unit. */
export function isPairAt(text: string, unit: number): boolean {
  const high = text.charCodeAt(unit);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(unit + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}
