/** Lets text through up to the first of the stops. */
export interface StopWatch {
  /** What of the text so far may be shown; the end that may still become a stop is kept back. */
  take(text: string): string;
  /** What was kept back, once nothing more comes. */
  rest(): string;
  /** Whether a stop was met: nothing after it is let through. */
  readonly stopped: boolean;
}

/**
 * `stops`: texts that end an answer and don't belong to it; empty ones are passed over. What counts is the
 * stop that is complete first (of several complete at the same character the longest), so that the
 * answer doesn't depend on how the text was cut.
 */
export function watchStops(stops: readonly string[]): StopWatch {
  const words = stops.filter((stop) => stop !== "");
  let kept = "";
  let stopped = false;

  return {
    take(text) {
      if (stopped) return "";
      const whole = kept + text;
      const start = startOfFirst(whole, words);
      if (start !== undefined) {
        stopped = true;
        kept = "";
        return whole.slice(0, start);
      }
      const keep = Math.max(0, ...words.map((word) => overlap(whole, word)));
      kept = whole.slice(whole.length - keep);
      return whole.slice(0, whole.length - keep);
    },
    rest() {
      const rest = kept;
      kept = "";
      return stopped ? "" : rest;
    },
    get stopped() {
      return stopped;
    },
  };
}

/** Where the word begins that is complete first in the text; undefined without one. */
function startOfFirst(text: string, words: readonly string[]): number | undefined {
  const matches = words
    .map((word) => ({ start: text.indexOf(word), length: word.length }))
    .filter((match) => match.start !== -1)
    .sort((a, b) => a.start + a.length - (b.start + b.length) || a.start - b.start);
  return matches[0]?.start;
}

/** How many characters at the end of the text are the beginning of the word. */
function overlap(text: string, word: string): number {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(word.slice(0, length))) return length;
  }
  return 0;
}
