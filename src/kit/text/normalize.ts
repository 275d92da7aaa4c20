/**
 * Most marks in a row that stay on a letter, as in Unicode's stream-safe text (UAX #15). Normalizing sorts the marks of a letter, in quadratic
 * time: 64,000 of them take 16 seconds.
 */
const marksMax = 30;

/** Marks, and the two letters that decompose into a mark. */
const overMarked = new RegExp(`([\\p{M}\\uff9e\\uff9f]{${marksMax}})[\\p{M}\\uff9e\\uff9f]+`, "gu");

/** Returns the text in a normalization form of Unicode, in linear time: more than 30 marks in a row are removed from a letter. */
export function normalized(text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string {
  return text.replace(overMarked, "$1").normalize(form);
}
