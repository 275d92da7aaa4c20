import { foldCase, withoutAccents } from "../../../kit/text/fold-letters.ts";
import { englishStem } from "./english-stem.ts";

/**
 * The rule by which texts and questions become words, the same in every store that searches by words. Raise it with any change that gives a
 * text other words: stores make their words again.
 */
export const wordRule = 1;

/** Longer words are cut, both in texts and in questions, so that they still match. */
const wordCharactersMax = 64;

/** Scripts without spaces between words: neighbouring characters count as a word. `ー` lengthens vowels of Japanese. */
const unspaced =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー]";

/** A run in such scripts, or a word of others. */
const runs = new RegExp(`(${unspaced}+)|(?:(?!${unspaced})[\\p{L}\\p{M}\\p{N}])+`, "gu");

/** Characters without a width inside words: soft hyphens, joiners, the Arabic lengthener. */
const invisible = /[\u00ad\u0640\u200b-\u200d\u2060\ufeff]/g;

/** Letters that Unicode doesn't take apart, as people type them without their keyboard. */
const plainLetters: Readonly<Record<string, string>> = {
  // Left by the capital ẞ, which has no other capital.
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ł: "l",
  ŧ: "t",
  ŋ: "n",
  // Arabic, as on keyboards of neighbouring languages.
  ٱ: "ا",
  ى: "ي",
  ی: "ي",
  ک: "ك",
  ة: "ه",
};

const oddLetters = new RegExp(`[${Object.keys(plainLetters).join("")}]`, "g");

const folded = (text: string) =>
  foldCase(withoutAccents(text))
    .replace(invisible, "")
    .replace(oddLetters, (letter) => plainLetters[letter] ?? letter);

/** Maximum words of a question, which are looked up one by one. */
const askedMax = 64;

/** Maximum words of a text, which are stored with it. */
const storedMax = 20_000;

/** Stems of words that were met before: texts of one batch share most of their words. */
export type Stems = Map<string, string>;

const stemsMax = 20_000;

/**
 * The words by which a text is found, with the number of their occurrences: without punctuation, accents, case and English endings. A run in
 * a script without spaces gives its characters and each pair of neighbours.
 */
export function textWords(text: string, stems: Stems = new Map()): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words(text, true, stems)) {
    const count = counts.get(word);
    if (count === undefined && counts.size >= storedMax) continue;
    counts.set(word, (count ?? 0) + 1);
  }
  return counts;
}

/** The words that a question is searched by: of a run in a script without spaces the pairs alone, or its only character. */
export function questionWords(question: string): Set<string> {
  const searchedWords = new Set<string>();
  for (const word of words(question, false, new Map())) {
    searchedWords.add(word);
    if (searchedWords.size === askedMax) break;
  }
  return searchedWords;
}

const content = /[\p{L}\p{N}\p{Extended_Pictographic}\p{So}]/u;

/** Whether a question can be searched for: one without letters, digits and pictures finds nothing, in any mode and by any embedder. */
export const hasContent = (question: string): boolean => content.test(question);

function* words(text: string, withCharacters: boolean, stems: Stems): Generator<string> {
  for (const [run, withoutSpaces] of folded(text).matchAll(runs)) {
    if (withoutSpaces === undefined) {
      yield stemOf(run, stems);
      continue;
    }
    const characters = [...run];
    if (withCharacters || characters.length === 1) yield* characters;
    for (let at = 1; at < characters.length; at++) yield `${characters[at - 1]}${characters[at]}`;
  }
}

function stemOf(run: string, stems: Stems): string {
  const known = stems.get(run);
  if (known !== undefined) return known;
  const stem = englishStem(
    run.length > wordCharactersMax ? run.slice(0, wordCharactersMax).toWellFormed() : run,
  );
  if (stems.size < stemsMax) stems.set(run, stem);
  return stem;
}
