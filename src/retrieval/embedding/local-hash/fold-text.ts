/** More marks on one letter are dropped: putting a long run of them in order would take time that grows with its square. */
const marksMax = 8;

const overMarked = new RegExp(`(\\p{M}{${marksMax}})\\p{M}+`, "gu");

/** Accents, vowel points of Arabic and Hebrew: people search without them. Vowel signs of Indic scripts are letters. */
const droppedMarks = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/g;

const beyondAscii = /[\u0080-\uffff]/;

/**
 * A text as it is compared: compatibility forms resolved, without accents, in lower case. `softBreak` stands where a capital
 * follows a small letter inside a word.
 */
export function foldText(text: string): string {
  const plain = beyondAscii.test(text) ? withoutMarks(text) : text;
  const marked = plain.replace(/(\p{Ll})(?=\p{Lu})/gu, `$1${softBreak}`);
  // Upper case first: it is what makes "ß" and "ss" equal.
  return (beyondAscii.test(plain) ? marked.toUpperCase() : marked).toLowerCase().replaceAll("ς", "σ");
}

/** Stands between the parts of a word like `chunkSize`. */
export const softBreak = "\u0001";

function withoutMarks(text: string): string {
  return text
    .toWellFormed()
    .replace(overMarked, "$1")
    .normalize("NFKD")
    .replace(droppedMarks, "")
    .normalize("NFC");
}
