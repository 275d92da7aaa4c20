import { AppError } from "./app-error.ts";
import { isRepresentable } from "./json-number.ts";
import { countSteps, type Work } from "./others-turn.ts";

export interface JsonLimits {
  /** Limit for the nesting of arrays and objects. */
  depthMax: number;
  /** Limit for the keys of one object. */
  keysMax: number;
}

export const defaultJsonLimits: JsonLimits = { depthMax: 64, keysMax: 10_000 };

/**
 * Parses a JSON text. Throws AppError `invalid` for anything that two readers could understand differently or that cannot be stored:
 * - `number_not_representable`: a number that would change its value;
 * - `invalid_request`: malformed text, invalid UTF-8, a byte order mark, duplicate keys, a `__proto__` key, NUL, lone surrogates, too much
 * depth, too many keys.
 */
export function parseStrictJson(
  source: Uint8Array | string,
  limits: JsonLimits = defaultJsonLimits,
): unknown {
  const reader = readerOf(source, limits);
  while (!reader.isAtEnd) countSteps(reader.readOn());
  return reader.result;
}

/** `parseStrictJson` as work in pieces, for requests, which may have many values. */
export function* readStrictJson(
  source: Uint8Array | string,
  limits: JsonLimits = defaultJsonLimits,
): Work<unknown> {
  const reader = readerOf(source, limits);
  while (!reader.isAtEnd) if (countSteps(reader.readOn()) && !reader.isAtEnd) yield;
  return reader.result;
}

function readerOf(source: Uint8Array | string, limits: JsonLimits): JsonReader {
  const text = typeof source === "string" ? source : decodeUtf8(source);
  if (typeof source === "string" && !source.isWellFormed()) {
    throw new AppError("invalid", "invalid_request", "The JSON text holds half of a surrogate pair.");
  }
  return new JsonReader(text, limits);
}

/** Values or characters that are read before the work is counted. */
const valuesPerReading = 2000;
const charactersPerReading = 64 * 1024;
/** A value takes about 100 ns, including its later release. The most expensive characters are those of a long number. */
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
  /** Undefined for an object. */
  array: unknown[] | undefined;
  object: Record<string, unknown>;
  key: string;
  keys: number;
}

const noObject: Record<string, unknown> = Object.freeze({});

/** Reads one text, and can stop after some values and continue. `#at` is the next character to read. */
class JsonReader {
  readonly #text: string;
  readonly #limits: JsonLimits;
  #at = 0;
  #depth = 0;
  #open: Open | undefined;
  /** The document's value, valid once `isAtEnd` is true. */
  result: unknown;
  isAtEnd = false;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
    if (text.charCodeAt(0) === 0xfeff) {
      this.#refuse("The JSON text begins with a byte order mark; send it without one");
    }
  }

  /** Reads the next values and returns the number of steps that it took. */
  readOn(): number {
    const start = this.#at;
    let values = 0;
    while (!this.isAtEnd && values < valuesPerReading && this.#at - start < charactersPerReading) {
      this.isAtEnd = this.#readNext();
      values++;
    }
    if (this.isAtEnd && !Number.isNaN(this.#peek())) this.#refuse("Nothing may follow the JSON value");
    return values * stepsPerValue + (this.#at - start) * stepsPerCharacter;
  }

  /** Reads a plain value, or enters an array or object. Returns true if the document's value is complete. */
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

  /** Puts a value into its array or object, and closes those that end after it. Returns true if the value is the document's. */
  #put(first: unknown): boolean {
    let value = first;
    for (let open = this.#open; open !== undefined; open = this.#open) {
      const { array } = open;
      if (array === undefined) open.object[open.key] = value;
      else array.push(value);
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
    if (key === "__proto__") this.#refuse('The key "__proto__" is not allowed', keyAt);
    if (Object.hasOwn(open.object, key)) {
      this.#refuse(`The key ${quoted(key)} stands twice in one object`, keyAt);
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

  /** Slow path: only an escape can produce NUL or half of a surrogate pair. */
  #readEscapedString(): string {
    const text = this.#text;
    const start = this.#at;
    let end = start + 1;
    while (end < text.length && text.charCodeAt(end) !== QUOTE)
      end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
    const value = parseString(text.slice(start, end + 1));
    if (value === undefined)
      return this.#refuse("A string is not closed, or holds an unknown escape or a control character");
    if (value.includes("\0")) this.#refuse("A string holds the character NUL");
    if (!value.isWellFormed()) this.#refuse("A string holds half of a surrogate pair");
    this.#at = end + 1;
    return value;
  }

  #readNumber(): number {
    const start = this.#at;
    number.lastIndex = start;
    const literal = number.exec(this.#text)?.[0];
    if (literal === undefined) return this.#refuse("A digit is expected after the minus sign");
    const value = Number(literal);
    if (!isRepresentable(literal, value)) {
      this.#refuse(
        "A number would change its value when it is read; send it as a string",
        start,
        "number_not_representable",
      );
    }
    this.#at = start + literal.length;
    return value === 0 ? 0 : value;
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  /** Skips white space and returns the next character's code, NaN at the end. */
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

/** Quotes a key for a message: escaped, and cut after 40 characters. */
function quoted(key: string): string {
  return JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key);
}

function decodeUtf8(bytes: Uint8Array): string {
  const text = tryDecode(bytes, false);
  if (text !== undefined) return text;
  throw new AppError(
    "invalid",
    "invalid_request",
    `The JSON text is not valid UTF-8 (after byte ${validBytes(bytes)}).`,
  );
}

/** Returns the length of the longest prefix that decodes, by binary search. */
function validBytes(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1;
    if (tryDecode(bytes.subarray(0, middle), true) === undefined) invalid = middle;
    else valid = middle;
  }
  return valid;
}

function tryDecode(bytes: Uint8Array, isPrefix: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isPrefix });
  } catch {
    return undefined;
  }
}
