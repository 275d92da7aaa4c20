/** Longer words are cut, in texts and in questions alike, so that they still find each other. */
const wordCharactersMax = 64;

/** Writing without spaces between words: there, two neighbouring characters are taken for one. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const runs = /[\p{L}\p{M}\p{N}_]+/gu;

/** The words of a text that can be searched by, in their order: lower case, without punctuation. */
export function* searchWords(text: string): Generator<string> {
  for (const [run] of text.normalize("NFKC").toLowerCase().matchAll(runs)) {
    if (unspaced.test(run)) yield* pairsOf([...run]);
    else yield run.length > wordCharactersMax ? run.slice(0, wordCharactersMax).toWellFormed() : run;
  }
}

function* pairsOf(characters: readonly string[]): Generator<string> {
  if (characters.length === 1) yield* characters;
  for (let at = 1; at < characters.length; at++) yield `${characters[at - 1]}${characters[at]}`;
}

/** How often each word stands in a text; at most `distinctMax` words, the first ones. */
export function wordCounts(text: string, distinctMax: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of searchWords(text)) {
    const count = counts.get(word);
    if (count === undefined && counts.size >= distinctMax) continue;
    counts.set(word, (count ?? 0) + 1);
  }
  return counts;
}

/** A question's words are looked up one by one. */
export const questionWordsMax = 64;

/** A text's words are kept with it. */
export const textWordsMax = 20_000;
