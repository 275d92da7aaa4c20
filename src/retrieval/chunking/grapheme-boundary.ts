import { isPairAt } from "./code-point-cursor.ts";

/** Maximum distance, in either direction, to which a cluster is followed; a longer one is cut like other text. */
const reach = 256;

/** Maximum length of a run of flags that is never cut inside a flag. */
const flagHalvesMax = 4096;

/** Created on first use, because it takes 10 ms. */
let segmenter: Intl.Segmenter | undefined;

/** Last position in `[least, most]` that is not inside a grapheme cluster; `most` if there is none nearby. */
export function lastBoundary(text: string, least: number, most: number): number {
  const cluster = clusterAround(text, most);
  return cluster === undefined || cluster.start < least ? most : cluster.start;
}

/** First position in `[least, most]` that is not inside a grapheme cluster; `least` if there is none nearby. */
export function firstBoundary(text: string, least: number, most: number): number {
  const cluster = clusterAround(text, least);
  return cluster === undefined || cluster.end > most ? least : cluster.end;
}

/** The cluster around `at`, the first unit of a code point; undefined if `at` is a boundary or if that can't be determined. */
function clusterAround(text: string, at: number): { start: number; end: number } | undefined {
  if (at <= 0 || at >= text.length || isSimple(text, at)) return undefined;
  const from = startNear(text, at);
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  const near = text.slice(from, at + reach);
  const cluster = segmenter.segment(near).containing(at - from);
  if (!cluster || cluster.index === at - from) return undefined;
  const start = from + cluster.index;
  const end = start + cluster.segment.length;
  // A cluster at the edge of the examined text may continue beyond it.
  const isWhole = (cluster.index > 0 || from === 0) && (end < at + reach || end === text.length);
  return isWhole ? { start, end } : undefined;
}

/** Start of the examined text around `at`: not inside a surrogate pair or between the halves of a flag. */
function startNear(text: string, at: number): number {
  let from = Math.max(0, at - reach);
  if (isPairAt(text, from - 1)) from++;
  if (!isFlagHalf(text, from)) return from;
  // Pairs of halves in a run of flags are determined by counting from its beginning.
  let before = 0;
  while (before < flagHalvesMax && isFlagHalf(text, from - 2 * (before + 1))) before++;
  return from + 2 * (before % 2);
}

const isFlagHalf = (text: string, at: number) => {
  const point = text.codePointAt(at) ?? 0;
  return point >= 0x1f1e6 && point <= 0x1f1ff;
};

/** Before U+0300, only a line feed joins its neighbour. */
function isSimple(text: string, at: number): boolean {
  const after = text.charCodeAt(at);
  return text.charCodeAt(at - 1) < 0x300 && after < 0x300 && after !== 0x0a;
}
