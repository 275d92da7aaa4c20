import { normalized } from "../../kit/text/normalize.ts";

/** Longer words are cut, both in texts and in questions, so that they still match. */
const wordCharactersMax = 64;

/** Scripts without spaces between words: each two neighbouring characters count as a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const runs = /[\p{L}\p{M}\p{N}_]+/gu;

/** The searchable words of a text, in order: lower case, without punctuation. */
export function* searchWords(text: string): Generator<string> {
  for (const [run] of normalized(text, "NFKC").toLowerCase().matchAll(runs)) {
    if (unspaced.test(run)) yield* pairsOf([...run]);
    else yield run.length > wordCharactersMax ? run.slice(0, wordCharactersMax).toWellFormed() : run;
  }
}

function* pairsOf(characters: readonly string[]): Generator<string> {
  if (characters.length === 1) yield* characters;
  for (let at = 1; at < characters.length; at++) yield `${characters[at - 1]}${characters[at]}`;
}

/** Number of occurrences of each word in a text, for the first `distinctMax` distinct words. */
export function wordCounts(text: string, distinctMax: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of searchWords(text)) {
    const count = counts.get(word);
    if (count === undefined && counts.size >= distinctMax) continue;
    counts.set(word, (count ?? 0) + 1);
  }
  return counts;
}

/** Maximum words of a question, which are looked up one by one. */
export const questionWordsMax = 64;

/** Maximum words of a text, which are stored with it. */
export const textWordsMax = 20_000;
