import { normalized } from "./normalize.ts";

/** Accents, and vowel points of Arabic and Hebrew: people search without them. Vowel signs of Indic scripts count as letters. */
const droppedMarks = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;

const beyondAscii = /[\u0080-\uffff]/;

/** The text without accents, with compatibility forms resolved: `élève` and `e` with a combining accent are equal to `eleve`. */
export function withoutAccents(text: string): string {
  if (!beyondAscii.test(text)) return text;
  return normalized(normalized(text.toWellFormed(), "NFKD").replace(droppedMarks, ""), "NFC");
}

/** The text in lower case, with other forms of small letters folded: `ß` is `ss`, `ı` is `i`, `ς` is `σ`. */
export function foldCase(text: string): string {
  // Upper case first, because it makes "ß" and "ss" equal.
  return (beyondAscii.test(text) ? text.toUpperCase() : text).toLowerCase().replaceAll("ς", "σ");
}
