import { normalized } from "../../../kit/text/normalize.ts";
import type { LinePiece } from "./page-lines.ts";

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
const rightToLeftLetter = /(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/gu;
const leftToRightLetter = /(?![\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff])\p{L}/gu;
/** Letters in the shapes that they have in a word. */
const shapes = /[\ufb1d-\ufdff\ufe70-\ufeff]+/g;

export const hasRightToLeft = (text: string): boolean => rightToLeft.test(text);

/**
 * The text of a line with letters that run from right to left, in the order in which people read it: the pieces are ordered by their place,
 * and numbers and words of other scripts keep their own direction.
 */
export function rightToLeftText(pieces: readonly LinePiece[]): string {
  const whole = pieces.map(({ text }) => text).join("");
  const isRightToLeft = count(whole, rightToLeftLetter) >= count(whole, leftToRightLetter);
  const sorted = withGaps([...pieces].sort((one, other) => one.x - other.x));
  const runs: { isRight: boolean; texts: string[] }[] = [];
  for (const [index, text] of sorted.entries()) {
    const isRight = isRightAt(sorted, index, isRightToLeft);
    const last = runs.at(-1);
    if (last?.isRight === isRight) last.texts.push(text);
    else runs.push({ isRight, texts: [text] });
  }
  const read = runs.map(({ isRight, texts }) => (isRight ? texts.reverse().map(mirrored) : texts).join(""));
  const text = (isRightToLeft ? read.reverse() : read).join("");
  return text
    .replace(shapes, (letters) => normalized(letters, "NFKC"))
    .replace(/ {2,}/g, " ")
    .trim();
}

/** A piece without letters belongs to the direction that both its neighbours have, else to that of the line. */
function isRightAt(pieces: readonly string[], index: number, isLine: boolean): boolean {
  const own = directionOf(pieces[index] ?? "");
  if (own !== undefined) return own;
  const before = pieces.slice(0, index).findLast((text) => directionOf(text) !== undefined);
  const after = pieces.slice(index + 1).find((text) => directionOf(text) !== undefined);
  const [left, right] = [directionOf(before ?? ""), directionOf(after ?? "")];
  return left !== undefined && left === right ? left : isLine;
}

/** True: from right to left; numbers run from left to right. */
function directionOf(text: string): boolean | undefined {
  if (/^[\p{N}\s.,:/\-+%]*\p{N}[\p{N}\s.,:/\-+%]*$/u.test(text)) return false;
  if (rightToLeft.test(text)) return true;
  return /[\p{L}\p{N}]/u.test(text) ? false : undefined;
}

/** Adds a space where pieces stand apart and none is written. */
function withGaps(pieces: readonly LinePiece[]): string[] {
  const texts: string[] = [];
  let end: number | undefined;
  for (const { text, x, width, height } of pieces) {
    const isApart = end !== undefined && height > 0 && x - end > 0.2 * height;
    if (isApart && texts.at(-1)?.trim() !== "" && text.trim() !== "") texts.push(" ");
    texts.push(text);
    end = Math.max(end ?? x, x + width);
  }
  return texts;
}

const mirrors: ReadonlyMap<string, string> = new Map(
  [..."()[]{}<>«»"].map((sign, index, all) => [sign, all[index ^ 1] ?? sign]),
);

/** A bracket alone is drawn as it is seen, so that it opens to the other side. */
const mirrored = (text: string) =>
  mirrors.get(text.trim()) === undefined ? text : text.replace(text.trim(), mirrors.get(text.trim()) ?? "");

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
