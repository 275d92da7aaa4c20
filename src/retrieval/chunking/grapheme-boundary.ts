import { isPairAt } from "./code-point-cursor.ts";

/** How far a cluster is followed to either side; a longer one is cut like any text. */
const reach = 256;

/** A longer run of flags may be cut between the halves of one. */
const flagHalvesMax = 4096;

/** Made when it is needed first: that takes 10 ms. */
let segmenter: Intl.Segmenter | undefined;

/** The last place in `[least, most]` that is inside no grapheme cluster; `most` when there is none near it. */
export function lastBoundary(text: string, least: number, most: number): number {
  const cluster = clusterAround(text, most);
  return cluster === undefined || cluster.start < least ? most : cluster.start;
}

/** The first place in `[least, most]` that is inside no grapheme cluster; `least` when there is none near it. */
export function firstBoundary(text: string, least: number, most: number): number {
  const cluster = clusterAround(text, least);
  return cluster === undefined || cluster.end > most ? least : cluster.end;
}

/** The cluster that `at`, the first unit of a code point, lies inside of; undefined when it is a boundary or nobody can tell. */
function clusterAround(text: string, at: number): { start: number; end: number } | undefined {
  if (at <= 0 || at >= text.length || isSimple(text, at)) return undefined;
  const from = startNear(text, at);
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  const near = text.slice(from, at + reach);
  const cluster = segmenter.segment(near).containing(at - from);
  if (!cluster || cluster.index === at - from) return undefined;
  const start = from + cluster.index;
  const end = start + cluster.segment.length;
  // A cluster that reaches the edge of what was looked at may go on beyond it.
  const isWhole = (cluster.index > 0 || from === 0) && (end < at + reach || end === text.length);
  return isWhole ? { start, end } : undefined;
}

/** Where to begin to look at what is around `at`: not inside a pair, nor between the halves of a flag. */
function startNear(text: string, at: number): number {
  let from = Math.max(0, at - reach);
  if (isPairAt(text, from - 1)) from++;
  if (!isFlagHalf(text, from)) return from;
  // In a run of halves only their number from its beginning on tells which belong together.
  let before = 0;
  while (before < flagHalvesMax && isFlagHalf(text, from - 2 * (before + 1))) before++;
  return from + 2 * (before % 2);
}

const isFlagHalf = (text: string, at: number) => {
  const point = text.codePointAt(at) ?? 0;
  return point >= 0x1f1e6 && point <= 0x1f1ff;
};

/** Before U+0300 nothing joins its neighbour but a line feed. */
function isSimple(text: string, at: number): boolean {
  const after = text.charCodeAt(at);
  return text.charCodeAt(at - 1) < 0x300 && after < 0x300 && after !== 0x0a;
}
