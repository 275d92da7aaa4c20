/*
 * JSON can write every character as an escape: `\u0040` is `@`. In the text of `"\nbob"` the word is `nbob`, but in its value it is `bob`.
 * Guardrails therefore see a JSON answer without escapes. A character that needs no escape is written as it is. A control character, which
 * needs one, is replaced by a single character, its stand-in. Outside strings, JSON has no backslashes.
 */

const hex = "[0-9a-fA-F]";
const high = `[dD][89abAB]${hex}{2}`;
const low = `[dD][c-fC-F]${hex}{2}`;

/** A pair of surrogates; an escape that the next piece may continue; any other escape; a raw character that is used as a stand-in. */
const escapes = new RegExp(
  [
    `\\\\u(${high})\\\\u(${low})`,
    `(\\\\(?:u(?:${hex}{0,3}|${high}(?:\\\\(?:u(?:[dD](?:[c-fC-F]${hex}?)?)?)?)?))?$)`,
    `\\\\u(${hex}{4})`,
    "\\\\([^])",
    "([\\v\\f\\uFDD0-\\uFDEF])",
  ].join("|"),
  "g",
);

const special = /[\\\v\f\uFDD0-\uFDEF]/;
const standIns = /[\v\f\uFDD0-\uFDEF]/;
const everyStandIn = /[\v\f\uFDD0-\uFDEF]/g;

/** First of 32 code points that are not characters and occur in no text. */
const firstStandIn = 0xfdd0;
const replacement = "\ufffd";
const controlsByLetter: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, f: 12, r: 13 };

/** Line breaks and tabs remain white space. */
function standInFor(control: number): string {
  if (control === 10) return "\f";
  return control === 9 ? "\v" : String.fromCharCode(firstStandIn + control);
}

function controlOf(standIn: string): number {
  if (standIn === "\f") return 10;
  return standIn === "\v" ? 9 : standIn.charCodeAt(0) - firstStandIn;
}

/**
 * Rewrites a text for guardrails, piece by piece: the result does not depend on the pieces. `withEscapes` makes it equal JSON again. Halves of
 * surrogate pairs become U+FFFD.
 */
export class EscapeReader {
  #held = "";

  /** True if the piece leaves as it is. */
  isPlain(piece: string): boolean {
    return this.#held === "" && !special.test(piece);
  }

  /** Takes the next piece and returns the text without an unfinished escape at its end. */
  read(piece: string): string {
    if (this.isPlain(piece)) return piece;
    const text = this.#held + piece;
    this.#held = "";
    return text.replace(
      escapes,
      (
        found,
        first: string | undefined,
        second: string | undefined,
        unfinished: string | undefined,
        code: string | undefined,
        letter: string | undefined,
      ) => {
        if (first !== undefined && second !== undefined)
          return String.fromCharCode(Number.parseInt(first, 16), Number.parseInt(second, 16));
        if (unfinished !== undefined) {
          this.#held = unfinished;
          return "";
        }
        if (code !== undefined) return written(Number.parseInt(code, 16));
        if (letter !== undefined) return named(found, letter);
        return found < " " ? " " : replacement;
      },
    );
  }

  /** The text is complete: returns the rest. */
  rest(): string {
    const rest = this.#held;
    this.#held = "";
    return rest.replace(/\\u[0-9a-fA-F]{4}/, replacement);
  }
}

function written(code: number): string {
  if (code < 0x20) return standInFor(code);
  const character = String.fromCharCode(code);
  if (character === '"' || character === "\\") return `\\${character}`;
  return !character.isWellFormed() || standIns.test(character) ? replacement : character;
}

function named(found: string, letter: string): string {
  if (letter === "/") return letter;
  const control = controlsByLetter[letter];
  return control === undefined ? found : standInFor(control);
}

/**
 * Writes stand-ins as escapes. Always as `\u000a`, never as `\n`: for a person who reads `\name` as text, the escape would be part of the
 * word.
 */
export function withEscapes(text: string): string {
  if (!standIns.test(text)) return text;
  return text.replace(everyStandIn, (found) => `\\u${controlOf(found).toString(16).padStart(4, "0")}`);
}
