import { cutText } from "../text/cut-text.ts";

const other = 0;
const space = 1;
const newline = 2;
/** Control and invisible characters. */
const dropped = 3;

const kinds = new Uint8Array(256);
kinds.fill(dropped, 0, 0x20);
kinds.fill(dropped, 0x7f, 0xa0);
for (const code of [0x09, 0x0b, 0x0c, 0x20, 0xa0]) kinds[code] = space;
kinds[0x0a] = newline;
kinds[0x0d] = newline;
kinds[0xad] = dropped;

/**
 * Assembles the text of a page as a person sees it: runs of spaces become one, blocks are on lines of their own, and there is at most one
 * empty line in a row. Keeps the first `charsMax` characters and counts the others.
 */
export class TextWriter {
  readonly #charsMax: number;
  readonly #parts: string[] = [];
  #length = 0;
  /** Line breaks, space, separators and marker to write before the next character. */
  #newlines = 0;
  #isSpaceDue = false;
  #separators = 0;
  #marker = "";
  /** True if a cell has begun and is still empty. */
  #isCellFresh = false;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  /** Length of the whole text, in characters. */
  get length(): number {
    return this.#length;
  }

  /** The kept text; never ends in half a character. */
  get text(): string {
    return cutText(this.#parts.join(""), this.#charsMax);
  }

  /** Ends the line; 2 leaves an empty line. Does nothing on an empty line. */
  endLine(newlines: 1 | 2): void {
    this.#isSpaceDue = false;
    if (!this.#isCellFresh) this.#newlines = Math.max(Math.min(this.#newlines, 2), newlines);
  }

  /** Adds a line break that the page asks for; the second in a row leaves an empty line. */
  breakLine(): void {
    this.#isSpaceDue = false;
    if (!this.#isCellFresh) this.#newlines = Math.min(2, this.#newlines + 1);
  }

  /** Sets the marker of a list item, written before the next text. */
  mark(marker: string): void {
    this.#marker = marker;
  }

  startCell(isFirst: boolean, isRowBegun: boolean): void {
    // A line break at the end of the previous cell does not end the row.
    if (isRowBegun) this.#newlines = 0;
    if (!isFirst) this.#separators++;
    this.#isSpaceDue = false;
    this.#isCellFresh = true;
  }

  /** Begins a row, or ends the last one. */
  startRow(): void {
    this.#isCellFresh = false;
    this.#separators = 0;
    this.endLine(1);
  }

  /** Adds text in which a run of white space counts as one space. */
  add(text: string): void {
    let wordAt = -1;
    for (let at = 0; at < text.length; at++) {
      const kind = kindAt(text, at);
      if (kind === other) {
        if (wordAt === -1) wordAt = at;
        continue;
      }
      // A single space between two words is copied with them.
      const isPlain = wordAt !== -1 && text.charCodeAt(at) === 0x20 && isWordAt(text, at + 1);
      if (isPlain) continue;
      if (wordAt !== -1) this.#write(text.slice(wordAt, at));
      wordAt = -1;
      if (kind !== dropped) this.#isSpaceDue = true;
    }
    if (wordAt !== -1) this.#write(text.slice(wordAt));
  }

  /** Adds text whose spaces and line breaks are kept. */
  addVerbatim(text: string): void {
    let runAt = -1;
    for (let at = 0; at < text.length; at++) {
      const kind = kindAt(text, at);
      if (kind === other || kind === space) {
        if (runAt === -1) runAt = at;
        continue;
      }
      if (runAt !== -1) this.#write(text.slice(runAt, at));
      runAt = -1;
      const isPair = text.charCodeAt(at) === 0x0d && text.charCodeAt(at + 1) === 0x0a;
      if (kind === newline && !isPair) this.#newlines++;
    }
    if (runAt !== -1) this.#write(text.slice(runAt));
  }

  #write(text: string): void {
    const isLineFresh = this.#length === 0 || this.#newlines > 0;
    if (this.#length > 0 && this.#newlines > 0) this.#append("\n".repeat(this.#newlines));
    if (this.#separators > 0) this.#append((isLineFresh ? "| " : " | ").repeat(this.#separators));
    else if (this.#isSpaceDue && !isLineFresh) this.#append(" ");
    if (this.#marker !== "") this.#append(this.#marker);
    this.#append(text);
    this.#newlines = 0;
    this.#separators = 0;
    this.#isSpaceDue = false;
    this.#isCellFresh = false;
    this.#marker = "";
  }

  #append(text: string): void {
    if (this.#length < this.#charsMax) this.#parts.push(text);
    this.#length += text.length;
  }
}

function isWordAt(text: string, at: number): boolean {
  return at < text.length && kindAt(text, at) === other;
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 256) return kinds[code] ?? other;
  if (code < 0x200b) return other;
  if (code === 0x2028 || code === 0x2029) return newline;
  if (code === 0x200b || code === 0x2060 || code === 0xfeff) return dropped;
  // Tags (U+E0000 to U+E007F) spell text that is invisible to people.
  if (code === 0xdb40) return isTagTail(text.charCodeAt(at + 1)) ? dropped : other;
  if (isTagTail(code)) return text.charCodeAt(at - 1) === 0xdb40 ? dropped : other;
  return other;
}

function isTagTail(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdc7f;
}
