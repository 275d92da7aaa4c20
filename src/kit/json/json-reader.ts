import { AppError } from "../app-error.ts";
import { isRepresentable } from "./json-number.ts";

export interface JsonLimits {
  /** Maximum nesting of arrays and objects. */
  depthMax: number;
  /** How many keys one object may have. */
  keysMax: number;
  /** How many values the whole may have, those inside others counted; absent: as many as there are. */
  valuesMax?: number;
  /** Reads what `JSON.parse` reads: duplicate keys (the last one wins), numbers that a double rounds, NUL, half surrogates. */
  isLenient?: boolean;
}

/** Values or characters that are read before the work is counted. */
const valuesPerReading = 2000;
const charactersPerReading = 64 * 1024;
/** A value takes about 100 ns, with what it costs to release it later; a long number is the dearest of characters. */
const stepsPerValue = 10;
const stepsPerCharacter = 2;

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** An array or object whose end has not been read. */
interface Open {
  outer: Open | undefined;
  /** Undefined: it is an object. */
  array: unknown[] | undefined;
  object: Record<string, unknown>;
  key: string;
  keys: number;
}

const noObject: Record<string, unknown> = Object.freeze({});

/** A reader of one text, which stops after some values and can go on; `#at` is the next character to read. */
export class JsonReader {
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #isLenient: boolean;
  #at = 0;
  #depth = 0;
  #open: Open | undefined;
  /** The document's value, as soon as `isAtEnd`. */
  result: unknown;
  isAtEnd = false;
  /** Values that were read, those inside others counted. */
  values = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
    this.#isLenient = limits.isLenient === true;
    if (text.charCodeAt(0) === 0xfeff) {
      this.#refuse("The JSON text begins with a byte order mark; send it without one");
    }
  }

  /** Reads the next values, and returns how many steps that took. */
  readOn(): number {
    const start = this.#at;
    let values = 0;
    while (!this.isAtEnd && values < valuesPerReading && this.#at - start < charactersPerReading) {
      this.isAtEnd = this.#readNext();
      values++;
    }
    this.values += values;
    const { valuesMax = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.values > valuesMax) this.#refuse(`The JSON may have ${valuesMax} values`);
    if (this.isAtEnd && !Number.isNaN(this.#peek())) this.#refuse("Nothing may follow the JSON value");
    return values * stepsPerValue + (this.#at - start) * stepsPerCharacter;
  }

  /** Reads a plain value, or goes into an array or object. True: the document's value is complete. */
  #readNext(): boolean {
    const code = this.#peek();
    if (code === OPEN_BRACE) {
      this.#enter();
      const object: Record<string, unknown> = {};
      if (this.#peek() === CLOSE_BRACE) return this.#leave(object);
      this.#open = { outer: this.#open, array: undefined, object, key: "", keys: 0 };
      this.#readKey(this.#open);
      return false;
    }
    if (code === OPEN_BRACKET) {
      this.#enter();
      const array: unknown[] = [];
      if (this.#peek() === CLOSE_BRACKET) return this.#leave(array);
      this.#open = { outer: this.#open, array, object: noObject, key: "", keys: 0 };
      return false;
    }
    return this.#put(this.#readPlain(code));
  }

  #readPlain(code: number): unknown {
    if (code === QUOTE) return this.#readString();
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.#readNumber();
    if (this.#take("true")) return true;
    if (this.#take("false")) return false;
    if (this.#take("null")) return null;
    return this.#refuse("A JSON value is expected");
  }

  /** Puts a value where it belongs, and closes what ends after it. True: it belongs nowhere, so it is the document's. */
  #put(first: unknown): boolean {
    let value = first;
    for (let open = this.#open; open !== undefined; open = this.#open) {
      const { array } = open;
      if (array !== undefined) array.push(value);
      else if (open.key === "__proto__") define(open.object, value);
      else open.object[open.key] = value;
      const code = this.#peek();
      if (code === COMMA) {
        this.#at++;
        if (array === undefined) this.#readKey(open);
        return false;
      }
      if (code !== (array === undefined ? CLOSE_BRACE : CLOSE_BRACKET)) {
        this.#refuse(`A comma or a closing ${array === undefined ? "brace" : "bracket"} is expected`);
      }
      this.#open = open.outer;
      this.#depth--;
      this.#at++;
      value = array ?? open.object;
    }
    this.result = value;
    return true;
  }

  #readKey(open: Open): void {
    if (this.#peek() !== QUOTE) this.#refuse("A key in double quotes is expected");
    const keyAt = this.#at;
    const key = this.#readString();
    if (++open.keys > this.#limits.keysMax) {
      this.#refuse(`An object may have ${this.#limits.keysMax} keys`, keyAt);
    }
    if (!this.#isLenient) {
      if (key === "__proto__") this.#refuse('The key "__proto__" is not allowed', keyAt);
      if (Object.hasOwn(open.object, key)) {
        this.#refuse(`The key ${quoted(key)} stands twice in one object`, keyAt);
      }
    }
    if (this.#peek() !== COLON) this.#refuse("A colon is expected");
    this.#at++;
    open.key = key;
  }

  #enter(): void {
    if (++this.#depth > this.#limits.depthMax) {
      this.#refuse(`Arrays and objects may be nested ${this.#limits.depthMax} deep`);
    }
    this.#at++;
  }

  #leave(empty: object): boolean {
    this.#depth--;
    this.#at++;
    return this.#put(empty);
  }

  #readString(): string {
    const text = this.#text;
    const start = this.#at + 1;
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return text.slice(start, at);
      }
      if (code === BACKSLASH) return this.#readEscapedString();
      if (code < 0x20) this.#refuse("A control character in a string must be written as an escape", at);
      if (Number.isNaN(code)) this.#refuse("A string is not closed", start - 1);
    }
  }

  /** Off the fast path: only an escape can bring in NUL or half of a surrogate pair. */
  #readEscapedString(): string {
    const text = this.#text;
    const start = this.#at;
    let end = start + 1;
    while (end < text.length && text.charCodeAt(end) !== QUOTE)
      end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
    const value = parseString(text.slice(start, end + 1));
    if (value === undefined)
      return this.#refuse("A string is not closed, or holds an unknown escape or a control character");
    if (!this.#isLenient && value.includes("\0")) this.#refuse("A string holds the character NUL");
    if (!this.#isLenient && !value.isWellFormed()) this.#refuse("A string holds half of a surrogate pair");
    this.#at = end + 1;
    return value;
  }

  #readNumber(): number {
    const start = this.#at;
    number.lastIndex = start;
    const literal = number.exec(this.#text)?.[0];
    if (literal === undefined) return this.#refuse("A digit is expected after the minus sign");
    const value = Number(literal);
    this.#at = start + literal.length;
    if (this.#isLenient) return value;
    if (!isRepresentable(literal, value)) {
      this.#refuse(
        "A number would change its value when it is read; send it as a string",
        start,
        "number_not_representable",
      );
    }
    return value === 0 ? 0 : value;
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  /** Skips white space; the next character's code, NaN at the end. */
  #peek(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
      this.#at++;
    }
  }

  #refuse(message: string, at = this.#at, code = "invalid_request"): never {
    let line = 1;
    let lineStart = 0;
    for (
      let end = this.#text.indexOf("\n");
      end !== -1 && end < at;
      end = this.#text.indexOf("\n", lineStart)
    ) {
      line++;
      lineStart = end + 1;
    }
    const column = at - lineStart + 1;
    throw new AppError("invalid", code, `${message} (line ${line}, column ${column}).`);
  }
}

function parseString(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
}

/** A key for a message: escaped, and cut when it is long. */
function quoted(key: string): string {
  return JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key);
}

/** The key by which an assignment would change the object's kind. */
function define(object: Record<string, unknown>, value: unknown): void {
  Object.defineProperty(object, "__proto__", {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
