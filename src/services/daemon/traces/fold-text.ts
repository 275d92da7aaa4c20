import { normalized } from "../../../kit/text/normalize.ts";

/** Returns a text in the form that is searched: lower case, one Unicode form, one space for any white space. Both sides of a search are folded. */
export function foldText(text: string): string {
  // PostgreSQL stores neither lone surrogates nor NUL.
  const folded = normalized(text.toWellFormed().replaceAll("\0", "\ufffd"), "NFC")
    .toLowerCase()
    // JavaScript writes a sigma at the end of a word differently.
    .replaceAll("ς", "σ");
  // Replacing every single space by itself would take longer than all of this.
  return otherSpace.test(folded) ? folded.replace(/\s+/g, " ") : folded;
}

/** White space that is not one space by itself. */
const otherSpace = /[^\S ]|\s\s/;
