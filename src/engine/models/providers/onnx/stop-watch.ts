/** Passes text on up to the first stop text. */
export interface StopWatch {
  /** Returns the text that may be shown; a possible beginning of a stop text is held back. */
  take(text: string): string;
  /** Returns the text held back, at the end of the answer. */
  rest(): string;
  /** True once a stop text was found: no text after it is passed on. */
  readonly stopped: boolean;
}

/**
 * Watches for `stops`, which end an answer and are not part of it; empty ones are ignored. The stop that is complete first counts, and the
 * longest of those complete at the same character. So the answer does not depend on how the text was split.
 */
export function watchStops(stops: readonly string[]): StopWatch {
  const words = stops.filter((stop) => stop !== "");
  let pending = "";
  let stopped = false;

  return {
    take(text) {
      if (stopped) return "";
      const whole = pending + text;
      const start = startOfFirst(whole, words);
      if (start !== undefined) {
        stopped = true;
        pending = "";
        return whole.slice(0, start);
      }
      const keep = Math.max(0, ...words.map((word) => overlap(whole, word)));
      pending = whole.slice(whole.length - keep);
      return whole.slice(0, whole.length - keep);
    },
    rest() {
      const rest = pending;
      pending = "";
      return stopped ? "" : rest;
    },
    get stopped() {
      return stopped;
    },
  };
}

/** Start of the word that is complete first in the text; undefined if there is none. */
function startOfFirst(text: string, words: readonly string[]): number | undefined {
  const matches = words
    .map((word) => ({ start: text.indexOf(word), length: word.length }))
    .filter((match) => match.start !== -1)
    .sort((a, b) => a.start + a.length - (b.start + b.length) || a.start - b.start);
  return matches[0]?.start;
}

/** Number of characters at the end of the text that are a beginning of the word. */
function overlap(text: string, word: string): number {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(word.slice(0, length))) return length;
  }
  return 0;
}
