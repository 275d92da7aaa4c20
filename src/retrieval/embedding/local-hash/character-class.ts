/** What a character is to the hashing of words. */
export const characterClass = {
  /** Between words. */
  gap: 0,
  letter: 1,
  digit: 2,
  /** Chinese, Japanese, Korean: a character or two say what a word, or its stem, says elsewhere. */
  ideograph: 3,
  /** Scripts that set no spaces: Thai, Lao, Khmer, Burmese. */
  unspaced: 4,
  /** Emoji and other pictures: a word each. */
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

/** Tells the class of a code point; a lone surrogate is a gap. */
export type Classifier = (point: number) => CharacterClass;

/** A classifier that remembers the characters of the basic plane it has seen; most texts have a few hundred. */
export function createClassifier(): Classifier {
  const known = new Uint8Array(0x1_0000);
  return (point) => {
    if (point > 0xffff) return classify(String.fromCodePoint(point));
    const cached = known[point];
    // One more than the class, so that 0 is what nobody has seen yet.
    if (cached) return (cached - 1) as CharacterClass;
    const found = classify(String.fromCodePoint(point));
    known[point] = found + 1;
    return found;
  };
}
