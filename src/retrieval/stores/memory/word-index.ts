import { questionWords, type Stems, textWords } from "../words/search-words.ts";

interface Entry {
  counts: ReadonlyMap<string, number>;
  length: number;
}

const saturation = 1.2;
const lengthWeight = 0.75;

/** An index from words to rows that ranks rows for a query with Okapi BM25. */
export class WordIndex {
  readonly #entries = new Map<string, Entry>();
  readonly #holders = new Map<string, Set<string>>();
  readonly #stems: Stems = new Map();
  #wordsInAll = 0;

  /** Replaces the text of `id`. */
  set(id: string, text: string): void {
    this.delete(id);
    const counts = textWords(text, this.#stems);
    const length = counts.values().reduce((sum, count) => sum + count, 0);
    this.#entries.set(id, { counts, length });
    this.#wordsInAll += length;
    for (const word of counts.keys()) {
      const holders = this.#holders.get(word);
      if (holders) holders.add(id);
      else this.#holders.set(word, new Set([id]));
    }
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    this.#wordsInAll -= entry.length;
    for (const word of entry.counts.keys()) {
      const holders = this.#holders.get(word);
      holders?.delete(id);
      if (holders?.size === 0) this.#holders.delete(word);
    }
  }

  /** Ids of rows that share a word with the question, best first. */
  search(question: string): string[] {
    const ranks = new Map<string, number>();
    const total = this.#entries.size;
    const meanLength = this.#wordsInAll / Math.max(1, total);
    for (const word of questionWords(question)) {
      const holders = this.#holders.get(word);
      if (!holders) continue;
      const rarity = Math.log(1 + (total - holders.size + 0.5) / (holders.size + 0.5));
      for (const id of holders) {
        const { counts, length } = this.#entries.get(id) as Entry;
        const count = counts.get(word) ?? 0;
        const spread = saturation * (1 - lengthWeight + (lengthWeight * length) / meanLength);
        ranks.set(id, (ranks.get(id) ?? 0) + (rarity * count * (saturation + 1)) / (count + spread));
      }
    }
    return [...ranks].sort((one, other) => other[1] - one[1]).map(([id]) => id);
  }
}
