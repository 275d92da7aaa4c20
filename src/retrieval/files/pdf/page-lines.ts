import { superscript } from "../../../kit/text/superscript.ts";
import { countDirections, hasRightColumns, hasRightToLeft, rightToLeftText } from "./right-to-left.ts";

/** A piece of text with its position on a page. */
export interface PlacedText {
  str: string;
  hasEOL: boolean;
  width?: number;
  height: number;
  /** The last two numbers are its start, measured from the lower left. */
  transform: readonly unknown[];
}

/** Text that stands on the page without being part of its content: a field's value, a note. */
export interface PageNote {
  text: string;
  /** Left, bottom, right and top. */
  rect: readonly [number, number, number, number];
  /** Name to show if no text stands beside it. */
  label: string;
}

/** A piece in a line. */
export interface LinePiece {
  text: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Line {
  pieces: LinePiece[];
  /** Position of the first and last visible piece; undefined for lines of spaces. */
  first: { y: number; height: number } | undefined;
  last: { y: number; height: number } | undefined;
  /** True if its last word goes on in the next line: a soft hyphen. */
  isSoft: boolean;
}

/** Lines separated by more than this many line heights belong to different paragraphs. */
const PARAGRAPH_GAP = 1.6;
/** A letter this much larger than the text behind it begins its first word. */
const DROP_CAP = 1.7;

/** Joins the pieces of a page: line breaks as on the page, an empty line between separate paragraphs. */
export class PageLines {
  readonly #lines: Line[] = [];
  #isLineDue = true;
  #length = 0;
  /** Where each text was drawn last, to see texts that are drawn twice to look bold. */
  readonly #drawn = new Map<string, { x: number; y: number }>();

  /** Code units so far. */
  get length(): number {
    return this.#length;
  }

  add({ str, hasEOL, width = 0, height, transform }: PlacedText): void {
    const text = clean(str);
    const [x, y] = [Number(transform[4]), Number(transform[5])];
    if (text !== "" && !this.#isRepeated(text, x, y, height)) {
      const place = height > 0 ? { y, height } : undefined;
      let line = this.#lines.at(-1);
      const isDue = this.#isLineDue || isElsewhere(line, place);
      if (line === undefined || (isDue && !isDropCap(line, x, place))) {
        line = { pieces: [], first: place, last: place, isSoft: false };
        this.#lines.push(line);
      }
      this.#isLineDue = false;
      line.pieces.push({ text, x, y, width, height });
      line.first ??= place;
      // Spaces are reported with height 0.
      line.last = place ?? line.last;
      line.isSoft = str.trimEnd().endsWith("\u00ad");
      this.#length += text.length + 1;
    }
    if (hasEOL) this.#isLineDue = true;
  }

  /** Puts a note into the line beside it, or under the text above it. */
  note({ text, rect, label }: PageNote): void {
    const [left, bottom, right, top] = rect;
    const height = Math.max(1, Math.min(top - bottom, 40));
    const piece = (content: string) => ({ text: content, x: left, y: bottom, width: right - left, height });
    const isBox = text === "☒" || text === "☐";
    const line = this.#lines.find(({ first, pieces }) => {
      if (first === undefined) return false;
      const middle = first.y + first.height / 2;
      const isLevel = middle > bottom - 2 && middle < top + 2;
      return isLevel && pieces.some(({ x }) => (isBox ? true : x < left));
    });
    this.#length += text.length + label.length + 2;
    if (line !== undefined) {
      const at = line.pieces.findIndex(({ x }) => x > left);
      const spaced = { ...piece(at === -1 ? ` ${text}` : `${at === 0 ? "" : " "}${text} `), width: 0 };
      if (at === -1) line.pieces.push(spaced);
      else line.pieces.splice(at, 0, spaced);
      return;
    }
    const below = this.#lines.findIndex(({ first }) => first !== undefined && first.y < bottom);
    const above = below === -1 ? this.#lines.at(-1) : this.#lines[below - 1];
    const isLabelled =
      above?.first !== undefined &&
      above.first.y - top < above.first.height &&
      above.first.y >= bottom &&
      !isBox;
    const place = { y: bottom, height: Math.min(height, 12) };
    const made: Line = {
      pieces: [piece(isLabelled || label === "" ? text : isBox ? `${text} ${label}` : `${label}: ${text}`)],
      first: place,
      last: place,
      isSoft: false,
    };
    if (below === -1) this.#lines.push(made);
    else this.#lines.splice(below, 0, made);
  }

  get text(): string {
    let text = "";
    let last: Line["last"];
    let isSoft = false;
    const all = countDirections(
      this.#lines.flatMap(({ pieces }) => pieces.map((piece) => piece.text)).join(" "),
    );
    const isRightPage = all.right > all.left;
    const lines = this.#lines.map((line) => ({ ...line, text: lineText(line.pieces, isRightPage) }));
    const whole = new Set(lines.flatMap((line) => line.text.match(/\p{L}+-\p{L}+/gu) ?? []).map(lower));
    for (const { text: next, first, last: end, isSoft: wasSoft } of lines) {
      if (next.trim() !== "") {
        const isApart = last !== undefined && first !== undefined && areApart(last, first);
        text = isApart ? `${text}\n\n${next}` : joined(text, next, isSoft, whole);
        isSoft = wasSoft;
      }
      last = end ?? last;
    }
    return text.trim();
  }

  #isRepeated(text: string, x: number, y: number, height: number): boolean {
    if (text.trim() === "" || height === 0) return false;
    const before = this.#drawn.get(text);
    this.#drawn.set(text, { x, y });
    const near = height * 0.15;
    return before !== undefined && Math.abs(before.x - x) < near && Math.abs(before.y - y) < near;
  }
}

/** Returns true if a piece is not level with the line, as where other content is drawn onto the page. */
function isElsewhere(line: Line | undefined, next: { y: number; height: number } | undefined): boolean {
  if (line?.last === undefined || next === undefined) return false;
  return Math.abs(line.last.y - next.y) > Math.max(line.last.height, next.height);
}

function isDropCap(
  { pieces, first }: Line,
  x: number,
  next: { y: number; height: number } | undefined,
): boolean {
  const [letter, ...others] = pieces;
  if (letter === undefined || others.length > 0 || first === undefined || next === undefined) return false;
  if (!/^\p{Lu}$/u.test(letter.text) || letter.height < DROP_CAP * next.height) return false;
  const isBeside = x >= letter.x && x < letter.x + letter.width + letter.height / 2;
  return isBeside && next.y >= first.y && next.y < first.y + letter.height;
}

/** Returns true if the second place is far below the first one, or above it, as in the next column. */
function areApart(last: { y: number; height: number }, place: { y: number; height: number }): boolean {
  const down = last.y - place.y;
  const height = Math.max(last.height, place.height);
  return down > PARAGRAPH_GAP * height || down < -height;
}

function lineText(pieces: readonly LinePiece[], isRightPage: boolean): string {
  if (pieces.some(({ text }) => hasRightToLeft(text)) || (isRightPage && hasRightColumns(pieces)))
    return rightToLeftText(pieces, isRightPage);
  return raised(unspaced(pieces))
    .map(({ text }) => text)
    .join("")
    .replace(/ {2,}/g, " ")
    .trimEnd();
}

/** Joins two lines; a word that was divided at the end of a line becomes whole, unless the page writes it with a hyphen elsewhere. */
function joined(text: string, next: string, isSoft: boolean, whole: ReadonlySet<string>): string {
  if (text === "") return next;
  if (isSoft) return text + next.trimStart();
  const head = /(\p{L}+)[-\u2010]$/u.exec(text)?.[1];
  const tail = /^\s*(\p{Ll}\p{L}*)/u.exec(next)?.[1];
  if (head === undefined || tail === undefined) return `${text}\n${next}`;
  const isCompound = whole.has(lower(`${head}-${tail}`));
  return (isCompound ? text : text.slice(0, -1)) + next.trimStart();
}

const lower = (word: string) => word.toLowerCase();

const setApart = /^\S(?: \S)*$/u;

/**
 * Words whose letters were set apart, as titles are, without the gaps. Short ones count only beside a word of five letters or more, because
 * letters with spaces between them may also be a list.
 */
function unspaced(pieces: readonly LinePiece[]): readonly LinePiece[] {
  const words = pieces.map(({ text }) => text.trim().split(/ {2,}/));
  const isApart = (word: string) => word.length > 1 && setApart.test(word);
  const isTitle = words.some((some) =>
    some.some((word) => isApart(word) && word.length >= 9 && /\p{L} \p{L}/u.test(word)),
  );
  if (!isTitle) return pieces;
  return pieces.map((piece, at) =>
    words[at]?.every((word) => word.length <= 1 || isApart(word))
      ? { ...piece, text: piece.text.replace(/(?<=\S) (?=\S)/gu, "") }
      : piece,
  );
}

/** Digits that stand smaller above the line as such: x², not x2. */
function raised(pieces: readonly LinePiece[]): readonly LinePiece[] {
  return pieces.map((piece, at) => {
    const before = pieces[at - 1];
    const isRaised =
      before !== undefined &&
      /[\p{L}\p{N})\]]$/u.test(before.text) &&
      piece.height > 0 &&
      piece.height < 0.85 * before.height &&
      piece.y - before.y > 0.2 * before.height;
    return isRaised ? { ...piece, text: superscript(piece.text) } : piece;
  });
}

/** Removes control characters and soft hyphens. */
function clean(text: string): string {
  return text.replace(/(?![\t\n])\p{Cc}|\u00ad/gu, "").toWellFormed();
}
