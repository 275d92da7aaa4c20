import { readLine } from "../../kit/html/read-page.ts";
import { TextWriter } from "../../kit/html/text-writer.ts";
import { textCharsMax, textTooLong } from "./document-fault.ts";
import type { DocumentLoss, ReadDocument, TextPlace } from "./document-file.ts";

const sectionCharsMax = 150;
/** Further places are not kept. */
const placesMax = 10_000;

/** Assembles the text of a document, its places and losses. */
export class DocumentWriter {
  readonly #text = new TextWriter(2 * textCharsMax + 1);
  readonly #places: TextPlace[] = [];
  readonly #losses = new Losses();
  #page: number | undefined;
  #section: string | undefined;

  /** Text so far, in code units. */
  get length(): number {
    return this.#text.length;
  }

  /** Begins a page or slide. */
  page(number: number): void {
    this.#page = number;
    this.#begin();
  }

  /** Begins a section; undefined ends the last one. */
  section(name: string | undefined): void {
    const line = sectionName(name);
    if (line === this.#section) return;
    this.#section = line;
    this.#begin();
  }

  /** A block with empty lines around it. Its line breaks are kept. */
  paragraph(text: string): void {
    this.#block(text, 2);
  }

  heading(text: string): void {
    if (text.trim() === "") return;
    this.#text.endLine(2);
    this.section(text);
    this.paragraph(text);
  }

  /** A line of a list or table. */
  line(text: string, marker = ""): void {
    this.#block(text, 1, marker);
  }

  /** Ends a list or table. */
  gap(): void {
    this.#text.endLine(2);
  }

  lose(kind: string, count: number, detail: (count: number) => string): void {
    this.#losses.add(kind, count, detail);
  }

  /** Adds another document as a part of this one; its losses are told with `name`. */
  include({ text, places = [], losses = [] }: ReadDocument, name = ""): void {
    const [page, section] = [this.#page, this.#section];
    const bounds = [...places.map(({ start }) => start), Number.MAX_SAFE_INTEGER];
    const characters = [...text];
    this.paragraph(characters.slice(0, bounds[0]).join(""));
    for (const [index, place] of places.entries()) {
      this.#page = place.page ?? page;
      this.#section = place.section ?? section;
      this.#begin();
      this.paragraph(characters.slice(place.start, bounds[index + 1]).join(""));
    }
    [this.#page, this.#section] = [page, section];
    if (places.length > 0) this.#begin();
    for (const { kind, count, detail } of losses)
      this.#losses.include({ kind, count, detail: name === "" ? detail : `${name}: ${detail}` });
  }

  /** Throws AppError `document_too_large`. */
  read(): Pick<ReadDocument, "text" | "places" | "losses"> {
    if (this.#text.length > 2 * textCharsMax) throw textTooLong();
    const { text } = this.#text;
    const places = inCharacters(text, this.#places);
    const losses = this.#losses.list();
    return { text, ...(places.length > 0 && { places }), ...(losses.length > 0 && { losses }) };
  }

  #block(text: string, newlines: 1 | 2, marker = ""): void {
    if (this.#text.length > 2 * textCharsMax) throw textTooLong();
    this.#text.endLine(newlines);
    this.#text.mark(marker);
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) this.#text.breakLine();
      this.#text.add(line);
    }
    this.#text.mark("");
    this.#text.endLine(newlines);
  }

  #begin(): void {
    const start = this.#text.length;
    if (this.#places.at(-1)?.start === start) this.#places.pop();
    if (this.#places.length >= placesMax) return;
    this.#places.push({
      start,
      ...(this.#page !== undefined && { page: this.#page }),
      ...(this.#section !== undefined && { section: this.#section }),
    });
  }
}

interface KnownLoss {
  count: number;
  detail?: (count: number) => string;
  /** Of parts, which count for themselves. */
  included: { count: number; details: string[] };
}

const includedMax = 20;

/** Losses by kind. */
export class Losses {
  readonly #found = new Map<string, KnownLoss>();

  add(kind: string, count: number, detail: (count: number) => string): void {
    if (count === 0) return;
    const known = this.#of(kind);
    known.count += count;
    known.detail = detail;
  }

  /** Adds what a part of the document lost. */
  include({ kind, count, detail }: DocumentLoss): void {
    const { included } = this.#of(kind);
    included.count += count;
    if (included.details.length < includedMax) included.details.push(detail);
  }

  list(): DocumentLoss[] {
    return [...this.#found].map(([kind, { count, detail, included }]) => ({
      kind,
      count: count + included.count,
      detail: [...(detail === undefined ? [] : [detail(count)]), ...included.details].join("; "),
    }));
  }

  #of(kind: string): KnownLoss {
    const known = this.#found.get(kind) ?? { count: 0, included: { count: 0, details: [] } };
    this.#found.set(kind, known);
    return known;
  }
}

/** A count with its noun: `1 page`, `2 pages`. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A heading as the name of a section: one line of at most 150 characters; undefined if nothing is left. */
export function sectionName(heading: string | undefined): string | undefined {
  const line = readLine(heading ?? "", sectionCharsMax).trim();
  return line === "" ? undefined : line;
}

/** Converts offsets in code units into offsets in code points; places must be in order. */
export function inCharacters(text: string, places: readonly TextPlace[]): TextPlace[] {
  const made: TextPlace[] = [];
  let unit = 0;
  let point = 0;
  for (const place of places.slice(0, placesMax)) {
    for (; unit < Math.min(place.start, text.length); unit++) {
      const code = text.charCodeAt(unit);
      if (code < 0xdc00 || code > 0xdfff) point++;
    }
    if (unit >= text.length && text.length > 0) break;
    made.push({ ...place, start: point });
  }
  return made;
}
