const surrogate = /[\ud800-\udfff]/;

/** Returns true if the text has no surrogate pairs, so that code points and UTF-16 units are the same. */
export function isPlain(text: string): boolean {
  return !surrogate.test(text);
}

/** A position in a text, in UTF-16 units and in code points. */
export interface TextPosition {
  unit: number;
  point: number;
}

/**
 * Moves through a text by code points. A move costs time proportional to its length, or none in a text without surrogate pairs. Cursors
 * that move forward in small steps make a pass over the whole text linear.
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

  /** Moves to a code point, or to the end of the text if there are fewer. */
  toPoint(point: number): TextPosition {
    if (this.#isPlain) return this.#plain(Math.min(point, this.#text.length));
    while (this.#point < point && this.#unit < this.#text.length) this.#forward();
    while (this.#point > point) this.#back();
    return { unit: this.#unit, point: this.#point };
  }

  /** Moves to a unit, which must be the first of a code point, or to the end of the text. */
  toUnit(unit: number): TextPosition {
    if (this.#isPlain) return this.#plain(unit);
    while (this.#unit < unit) this.#forward();
    while (this.#unit > unit) this.#back();
    return { unit: this.#unit, point: this.#point };
  }

  #plain(at: number): TextPosition {
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

/** Returns true if a surrogate pair begins at the unit. */
export function isPairAt(text: string, unit: number): boolean {
  const high = text.charCodeAt(unit);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(unit + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}
