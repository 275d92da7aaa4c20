/** More marks on a letter are removed, because sorting a long run of them takes quadratic time. */
const marksMax = 8;

const overMarked = new RegExp(`(\\p{M}{${marksMax}})\\p{M}+`, "gu");

/** Accents, and vowel points of Arabic and Hebrew: people search without them. Vowel signs of Indic scripts count as letters. */
const droppedMarks = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;

const beyondAscii = /[\u0080-\uffff]/;

/**
 * A text in the form for comparison: compatibility forms resolved, without accents, in lower case. `softBreak` is inserted before a capital
 * that follows a small letter inside a word.
 */
export function foldText(text: string): string {
  const plain = beyondAscii.test(text) ? withoutMarks(text) : text;
  const marked = plain.replace(/(\p{Ll})(?=\p{Lu})/gu, `$1${softBreak}`);
  // Upper case first, because it makes "ß" and "ss" equal.
  return (beyondAscii.test(plain) ? marked.toUpperCase() : marked).toLowerCase().replaceAll("ς", "σ");
}

/** Separates the parts of a word like `chunkSize`. */
export const softBreak = "\u0001";

function withoutMarks(text: string): string {
  return text
    .toWellFormed()
    .replace(overMarked, "$1")
    .normalize("NFKD")
    .replace(droppedMarks, "")
    .normalize("NFC");
}
