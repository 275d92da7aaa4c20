import { normalized } from "../../../kit/text/normalize.ts";
import type { LinePiece } from "./page-lines.ts";

const letters = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff]";
const rightToLeft = new RegExp(letters);
const rightToLeftLetter = new RegExp(`(?=\\p{L})${letters}`, "gu");
const leftToRightLetter = new RegExp(`(?!${letters})\\p{L}`, "gu");
/** Letters in the shapes that they have in a word. */
const shapes = /[\ufb1d-\ufdff\ufe70-\ufeff]+/g;

/** `column`: a gap wider than one between words. */
type Direction = "right" | "left" | "number" | "none" | "column";

/** A part of a line that is read in one direction. */
interface Token {
  text: string;
  direction: Direction;
}

/** A gap of this many line heights separates columns, which are read one after the other. */
const columnGap = 1.5;

export const hasRightToLeft = (text: string): boolean => rightToLeft.test(text);

/** Letters of both directions in a text. */
export function countDirections(text: string): { right: number; left: number } {
  return { right: count(text, rightToLeftLetter), left: count(text, leftToRightLetter) };
}

/**
 * The text of a line with letters that run from right to left, in the order in which people read it: the pieces are ordered by their place,
 * and numbers and words of other scripts keep their own direction (Unicode annex 9, read backwards). `isRightPage` decides where the line
 * alone doesn't tell in which direction it begins.
 */
export function rightToLeftText(pieces: readonly LinePiece[], isRightPage = false): string {
  const tokens = tokensOf([...pieces].sort((one, other) => one.x - other.x));
  const units = isRightLine(tokens, isRightPage)
    ? unitsOf(tokens, "left").reverse().map(shown)
    : unitsOf(tokens, "right").map((unit) =>
        unit.length > 1
          ? [...unit]
              .reverse()
              .map((one) => shown([one]))
              .join("")
          : plain(unit),
      );
  return units
    .join("")
    .replace(shapes, (found) => normalized(found, "NFKC"))
    .replace(/ +(?=\p{M})/gu, "")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** True for a line of columns on a page whose letters run from right to left: its columns do so too, whatever is in them. */
export function hasRightColumns(pieces: readonly LinePiece[]): boolean {
  return tokensOf([...pieces].sort((one, other) => one.x - other.x)).some(
    ({ direction }) => direction === "column",
  );
}

/** A line begins at its right if its outermost letters run so; if they differ, the page decides, or else the majority. */
function isRightLine(tokens: readonly Token[], isRightPage: boolean): boolean {
  const isLetter = ({ direction }: Token) => direction === "right" || direction === "left";
  const first = tokens.find(isLetter)?.direction;
  const last = tokens.findLast(isLetter)?.direction;
  if (isRightPage && !tokens.some(({ direction }) => direction === "right")) return true;
  if (first === last) return first === "right";
  const { right, left } = countDirections(tokens.map(({ text }) => text).join(""));
  return isRightPage || right >= left;
}

/**
 * Groups tokens, from left to right: each run of words in the `inner` direction, with what stands between them, is one unit; words in the
 * inner direction from left to right take the numbers behind them along. Every other token is a unit of its own.
 */
function unitsOf(tokens: readonly Token[], inner: "left" | "right"): Token[][] {
  const units: Token[][] = [];
  for (let at = 0; at < tokens.length; ) {
    let end = at + 1;
    if (tokens[at]?.direction === inner) {
      for (let next = end; next < tokens.length; next++) {
        const direction = tokens[next]?.direction;
        if (direction === inner || (inner === "left" && direction === "number")) end = next + 1;
        else if (direction === "column" || direction === (inner === "left" ? "right" : "left")) break;
      }
    }
    units.push(tokens.slice(at, end));
    at = end;
  }
  return units;
}

const plain = (unit: readonly Token[]) => unit.map(({ text }) => text).join("");

/** A bracket that stands alone is drawn as it is seen, so that it opens to the other side. */
function shown(unit: readonly Token[]): string {
  const [token] = unit;
  return unit.length === 1 && token?.direction === "none"
    ? (mirrors.get(token.text) ?? token.text)
    : plain(unit);
}

function tokensOf(pieces: readonly LinePiece[]): Token[] {
  const tokens: Token[] = [];
  let end: number | undefined;
  for (const { text, x, width, height } of pieces) {
    const gap = end === undefined || height === 0 ? 0 : x - end;
    const isWord = text.trim() !== "";
    if (gap > columnGap * height) tokens.push({ text: " ", direction: "column" });
    else if (gap > 0.2 * height && isWord && tokens.at(-1)?.text.trim() !== "")
      tokens.push({ text: " ", direction: "none" });
    if (hasRightToLeft(text)) tokens.push({ text, direction: "right" });
    else for (const [part] of text.matchAll(/\s+|\S+/gu)) tokens.push(...split(part));
    end = Math.max(end ?? x, x + width);
  }
  return tokens;
}

/** A word or number; signs at the ends of a number stand for themselves, because they have no direction of their own. */
function split(part: string): Token[] {
  if (/\p{L}/u.test(part)) return [{ text: part, direction: "left" }];
  const [, before = "", number = "", after = ""] =
    /^([^\p{N}\p{Sc}%‰]*)(.*[\p{N}\p{Sc}%‰])([^\p{N}\p{Sc}%‰]*)$/u.exec(part) ?? [];
  const signs = (text: string): Token[] => [...text].map((sign) => ({ text: sign, direction: "none" }));
  if (!/\p{N}/u.test(number)) return signs(part);
  return [...signs(before), { text: number, direction: "number" }, ...signs(after)];
}

const mirrors: ReadonlyMap<string, string> = new Map(
  [..."()[]{}<>«»"].map((sign, index, all) => [sign, all[index ^ 1] ?? sign]),
);

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
