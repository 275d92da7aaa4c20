/**
 * Marks in the text that stores a row's metadata for filters in LanceDB. For each value it has a fact: `START name KIND type value END`.
 * Equality is a search for a part of that text, and a range is a regular expression. Both are correct for lists and strict in types, for
 * any key.
 */
export const factMarks = { start: "\u0002", kind: "\u0003", end: "\u0004", cut: "\u0005" } as const;

const escapeMark = "\u001f";
const highestEscaped = 0x1f;

/** Longer texts are cut and end in `cut` instead of `end`; the caller compares them again. */
export const factCharactersMax = 64;

/** A text in the encoding of facts: without marks, and sorted in the same order. */
export function encodeFactText(text: string): string {
  const wellFormed = text.toWellFormed();
  // Most texts have no marks, and the test takes a tenth of the time.
  if (!controls.test(wellFormed)) return wellFormed;
  return wellFormed.replaceAll(everyControl, (character) => encodeControl(character.charCodeAt(0)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is escaped.
const controls = /[\u0000-\u001f]/;
const everyControl = new RegExp(controls, "g");

/** Encodes a code point: itself, or for a control character the escape mark and a letter. */
export function encodeCodePoint(codePoint: number): string {
  return codePoint > highestEscaped ? String.fromCodePoint(codePoint) : encodeControl(codePoint);
}

const encodeControl = (code: number) => escapeMark + String.fromCharCode(0x40 + code);

/** The first characters of a text as stored in facts; `isCut` is true if there were more. */
export function cutFactText(text: string): { kept: string; isCut: boolean } {
  if (text.length <= factCharactersMax) return { kept: text, isCut: false };
  // Enough units for that many code points and one more.
  const characters = [...text.slice(0, 2 * factCharactersMax + 2)];
  if (characters.length <= factCharactersMax) return { kept: text, isCut: false };
  return { kept: characters.slice(0, factCharactersMax).join(""), isCut: true };
}

const bits = new DataView(new ArrayBuffer(8));

/** Encodes a number as 16 hexadecimal digits that sort in the order of the numbers. */
export function encodeFactNumber(value: number): string {
  bits.setFloat64(0, value === 0 ? 0 : value); // -0 equals 0
  const high = bits.getUint32(0);
  const low = bits.getUint32(4);
  const isNegative = high >= 0x8000_0000;
  return isNegative ? hex(~high) + hex(~low) : hex(high | 0x8000_0000) + hex(low);
}

const hex = (bits32: number) => (bits32 === 0 ? "00000000" : (bits32 >>> 0).toString(16).padStart(8, "0"));
