import { FeatureTable, hashRange, mix } from "./feature-table.ts";
import { type Classifier, characterClass, createClassifier, foldText } from "./fold-text.ts";
import { stopWordHashes } from "./stop-words.ts";

/*
 * Weights of features. All weights are whole numbers, so that sums don't depend on their order and vectors are the same on every platform.
 * Any change here changes the vectors: raise the version in `local-hash.ts`.
 *
 * Most of a word's weight is on its n-grams. They are many, so that words that share a position of the vector disturb each other less, and
 * inflections of a word have most of them in common.
 */
const weights = {
  word: 512,
  /** A word too short for n-grams. */
  shortWord: 1024,
  stopWord: 64,
  /** All character n-grams of a word together, distributed by the square root of their number. */
  grams: 2560,
  ideograph: 800,
  ideographPair: 2048,
  picture: 1536,
};

const gramLengths = [3, 4];

/** Longer words are host names, keys and the like, whose parts have no meaning. */
const gramWordMax = 64;

/** Seeds for kinds of features, so that a word and an n-gram with the same letters differ. */
const seeds = { gram: 0x5bd1_e995, atStart: 1, atEnd: 2, ideographs: 5, picture: 9 };

/** Turns texts into vectors by their words, one at a time. */
export interface TextHasher {
  /** Writes the text's vector, of length 1 or all zeros, to `vectors` at `offset`. Takes time linear in its length. */
  hash(text: string, vectors: Float32Array, offset: number): void;
}

/** Creates a hasher for vectors of `dimension` numbers. */
export function createTextHasher(dimension: number): TextHasher {
  const sums = new Float64Array(dimension);
  const table = new FeatureTable((feature, count, weight) => {
    // Ten occurrences of a word are not ten times as relevant. Square roots are exact on every platform, logarithms are not.
    const value = Math.round(weight / Math.sqrt(count));
    const place = mix(feature ^ 0x9e37_79b9);
    (sums[place % dimension] as number) += place & 0x8000_0000 ? value : -value;
  });
  const scanner = new FeatureScanner(table);

  return {
    hash(text, vectors, offset) {
      sums.fill(0);
      scanner.scan(foldText(text));
      table.flush();
      let squares = 0;
      for (const sum of sums) squares += sum * sum;
      const length = Math.sqrt(squares);
      for (let at = 0; at < dimension; at++) {
        vectors[offset + at] = length === 0 ? 0 : (sums[at] as number) / length;
      }
    },
  };
}

/** Finds the features of a text. */
class FeatureScanner {
  readonly #table: FeatureTable;
  readonly #classOf: Classifier = createClassifier();
  readonly #stopWords = stopWordHashes();

  constructor(table: FeatureTable) {
    this.#table = table;
  }

  scan(text: string): void {
    for (let start = 0; start < text.length; ) {
      const point = text.codePointAt(start) ?? 0;
      let end = start + widthOf(point);
      const kind = this.#classOf(point);
      if (isWordClass(kind)) {
        end = this.#endOfWord(text, end, start);
        this.#addWord(text, start, end);
      } else if (kind === characterClass.ideograph || kind === characterClass.unspaced) {
        end = this.#endOfRun(text, end, (other) => other === kind);
        this.#addUnspaced(text, start, end);
      } else if (kind === characterClass.picture) {
        this.#table.add(hashRange(text, start, end, seeds.picture), weights.picture);
      }
      start = end;
    }
  }

  #endOfRun(text: string, from: number, belongs: (kind: number) => boolean): number {
    let end = from;
    while (end < text.length) {
      const point = text.codePointAt(end) ?? 0;
      if (!belongs(this.#classOf(point))) break;
      end += widthOf(point);
    }
    return end;
  }

  /** One or two letters and the signs after them form a name: `C++`, `F#`. */
  #endOfWord(text: string, from: number, start: number): number {
    const end = this.#endOfRun(text, from, isWordClass);
    let signed = end;
    while (end - start <= 2 && signed < end + 2 && "+#".includes(text.charAt(signed) || " ")) signed++;
    return signed;
  }

  #addWord(text: string, start: number, end: number): void {
    const word = hashRange(text, start, end);
    if (this.#stopWords.has(word)) return void this.#table.add(word, weights.stopWord);
    const hasGrams = end - start >= 3 && end - start <= gramWordMax;
    this.#table.add(word, hasGrams ? weights.word : weights.shortWord);
    if (hasGrams) this.#addGrams(text, start, end);
  }

  /** Adds the n-grams of a word; those at its ends differ from those inside. */
  #addGrams(text: string, start: number, end: number): void {
    const padded = end - start + 2;
    let count = 0;
    for (const length of gramLengths) count += Math.max(0, padded - length + 1);
    const weight = Math.round(weights.grams / Math.sqrt(count));
    for (const length of gramLengths) {
      for (let from = start - 1; from + length <= end + 1; from++) {
        const until = from + length;
        const edges = (from < start ? seeds.atStart : 0) | (until > end ? seeds.atEnd : 0);
        const gram = hashRange(text, Math.max(from, start), Math.min(until, end), seeds.gram + edges);
        this.#table.add(gram, weight);
      }
    }
  }

  /** Adds each character and each pair of neighbours. */
  #addUnspaced(text: string, start: number, end: number): void {
    let before = -1;
    for (let at = start; at < end; ) {
      const next = at + widthOf(text.codePointAt(at) ?? 0);
      this.#table.add(hashRange(text, at, next, seeds.ideographs), weights.ideograph);
      if (before >= 0)
        this.#table.add(hashRange(text, before, next, seeds.ideographs), weights.ideographPair);
      before = at;
      at = next;
    }
  }
}

const widthOf = (point: number) => (point > 0xffff ? 2 : 1);

const isWordClass = (kind: number) => kind === characterClass.letter || kind === characterClass.digit;
