import { foldCase, withoutAccents } from "../../../kit/text/fold-letters.ts";

/**
 * A text in the form for comparison: compatibility forms resolved, without accents, in lower case. `softBreak` is inserted before a capital
 * that follows a small letter inside a word.
 */
export function foldText(text: string): string {
  return foldCase(withoutAccents(text).replace(/(\p{Ll})(?=\p{Lu})/gu, `$1${softBreak}`));
}

/** Separates the parts of a word like `chunkSize`. */
export const softBreak = "\u0001";

/** Classes of characters for hashing words. */
export const characterClass = {
  /** Between words. */
  gap: 0,
  letter: 1,
  digit: 2,
  /** Chinese, Japanese, Korean: one or two characters correspond to a word or stem in other scripts. */
  ideograph: 3,
  /** Scripts without spaces: Thai, Lao, Khmer, Burmese. */
  unspaced: 4,
  /** Emoji and other pictographs: each is a word. */
  picture: 5,
} as const;

export type CharacterClass = (typeof characterClass)[keyof typeof characterClass];

const ideograph = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}ー]/u;
const unspaced = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const digit = /\p{N}/u;
const letter = /[\p{L}\p{M}]/u;
const picture = /[\p{Extended_Pictographic}\p{So}]/u;

function classify(character: string): CharacterClass {
  if (digit.test(character)) return characterClass.digit;
  if (letter.test(character)) {
    if (ideograph.test(character)) return characterClass.ideograph;
    return unspaced.test(character) ? characterClass.unspaced : characterClass.letter;
  }
  return picture.test(character) ? characterClass.picture : characterClass.gap;
}

/** Returns the class of a code point; a lone surrogate is a gap. */
export type Classifier = (point: number) => CharacterClass;

/** Creates a classifier that caches the characters of the basic plane; most texts have a few hundred. */
export function createClassifier(): Classifier {
  const known = new Uint8Array(0x1_0000);
  return (point) => {
    if (point > 0xffff) return classify(String.fromCodePoint(point));
    const cached = known[point];
    // The cache stores the class plus one, so that 0 means unknown.
    if (cached) return (cached - 1) as CharacterClass;
    const kindOfPoint = classify(String.fromCodePoint(point));
    known[point] = kindOfPoint + 1;
    return kindOfPoint;
  };
}
