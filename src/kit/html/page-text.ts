import { listNumber } from "../text/list-number.ts";
import { superscript } from "../text/superscript.ts";
import { type ElementKind, kindOf } from "./element-kinds.ts";
import type { ElementText, HtmlSink } from "./html-scanner.ts";
import { hidesElement } from "./inline-style.ts";
import { closeImplied, OpenElements } from "./open-elements.ts";
import { TextWriter } from "./text-writer.ts";

const titleCharsMax = 500;

/** Deeper lists are not indented any further. */
const indentsMax = 8;

/** End tags of these elements close everything open inside a cell. */
const tableParts: ReadonlySet<string> = new Set([
  "table",
  "caption",
  "tbody",
  "tfoot",
  "thead",
  "tr",
  "td",
  "th",
]);

interface Row {
  cells: number;
  /** Length of the text before the row. */
  beganAt: number;
}

/** Extracts the readable text of a page: its title, and its text without hidden parts. */
export class PageText implements HtmlSink {
  readonly #body: TextWriter;
  readonly #title = new TextWriter(titleCharsMax);
  readonly #open = new OpenElements((name, kind) => this.#finish(name, kind));
  readonly #lists: (NumberedList | undefined)[] = [];
  readonly #headings: Heading[] = [];
  /** The heading that is being read. */
  #heading: { start: number; title: TextWriter } | undefined;
  /** For each open table its last row. */
  readonly #rows: Row[] = [];
  #verbatim = 0;
  /** Open `sup` elements. */
  #raised = 0;
  /** True directly after `<pre>`, where a line break is ignored. */
  #isVerbatimFresh = false;
  #titleState: "none" | "reading" | "read" = "none";

  /** Numbers of items of the reversed lists without a start, in order. */
  readonly #reversed: Iterator<number, undefined>;

  constructor(charsMax: number, reversed: readonly number[] = []) {
    this.#body = new TextWriter(charsMax);
    this.#reversed = reversed.values();
  }

  /** The page's title, empty if it has none. */
  get pageTitle(): string {
    return this.#title.text;
  }

  get pageText(): string {
    return this.#body.text;
  }

  /** Length of the whole text, in characters. */
  get length(): number {
    return this.#body.length;
  }

  /** The headings so far, in order. */
  get headings(): readonly Heading[] {
    return this.#headings;
  }

  text(written: string): void {
    const text = this.#raised > 0 ? superscript(written) : written;
    if (this.#titleState === "reading") this.#title.add(text);
    if (this.#open.areHidden) return;
    this.#heading?.title.add(text);
    if (this.#verbatim === 0) this.#body.add(text);
    else this.#body.addVerbatim(this.#isVerbatimFresh ? withoutFirstBreak(text) : text);
    this.#isVerbatimFresh = false;
  }

  start(name: string, attributes: ReadonlyMap<string, string>): ElementText | undefined {
    // Some pages hide themselves until their scripts have run. Scripts do not run here, so `hidden` does not apply to these.
    if (name === "html" || name === "head" || name === "body") return undefined;
    const kind = kindOf(name);
    closeImplied(this.#open, name, kind);
    if (kind.isVoid) {
      if (!this.#open.areHidden) this.#layVoid(name, kind, attributes);
      return undefined;
    }
    const isInDrawing = this.#open.place("svg") !== -1;
    const hides = kind.isHidden === true || hidesByAttributes(name, attributes);
    const isShown = !hides && !this.#open.areHidden;
    const items = isCounted(name, attributes) ? this.#reversed.next().value : undefined;
    if (isShown) this.#begin(name, kind, attributes, items);
    this.#open.open(name, kind, isShown ? "shown" : hides ? "hiding" : "unseen");
    if (isInDrawing) return undefined;
    if (name === "title" && this.#titleState === "none") this.#titleState = "reading";
    return kind.text;
  }

  end(name: string): void {
    if (name === "title" && this.#titleState === "reading") this.#titleState = "read";
    const place = this.#open.place(name);
    if (place === -1) {
      // Browsers turn these end tags into an empty paragraph and a line break.
      if (name === "p" && !this.#open.areHidden) this.#body.endLine(2);
      if (name === "br" && !this.#open.areHidden) this.#body.breakLine();
      return;
    }
    if (place < (tableParts.has(name) ? this.#open.place("table") : this.#open.innermostScope)) return;
    const kind = kindOf(name);
    const isInLine = kind.layout === "inline" && !kind.isBarrier && !kind.isHidden;
    if (!isInLine || place > this.#open.innermostBarrier) this.#open.closeFrom(place);
    else if (kind.isFormatting) this.#open.unwrap(place);
  }

  #layVoid(name: string, kind: ElementKind, attributes: ReadonlyMap<string, string>): void {
    if (name === "input") this.text(inputSign(attributes));
    if (name === "br") this.#body.breakLine();
    else if (kind.layout === "paragraph") this.#body.endLine(2);
  }

  #begin(
    name: string,
    kind: ElementKind,
    attributes: ReadonlyMap<string, string>,
    items: number | undefined,
  ): void {
    const body = this.#body;
    if (name === "sup") this.#raised++;
    if (kind.layout !== "inline") body.endLine(kind.layout === "paragraph" ? 2 : 1);
    if (kind.isVerbatim) {
      this.#verbatim++;
      this.#isVerbatimFresh = true;
    }
    if (kind.list !== undefined)
      this.#lists.push(kind.list === "numbered" ? numberedList(attributes, items) : undefined);
    if (name === "li") body.mark(this.#marker(attributes));
    if (headingNames.test(name)) this.#heading = { start: body.length, title: new TextWriter(titleCharsMax) };
    if (name === "table") this.#rows.push({ cells: 0, beganAt: body.length });
    if (name === "tr") {
      body.startRow();
      if (this.#rows.pop()) this.#rows.push({ cells: 0, beganAt: body.length });
    }
    if (name === "td" || name === "th") this.#beginCell();
  }

  /** Begins a cell. A cell outside a table has no effect. */
  #beginCell(): void {
    const row = this.#rows.at(-1);
    if (row === undefined) return;
    this.#body.startCell(row.cells === 0, this.#body.length > row.beganAt);
    row.cells++;
  }

  #finish(name: string, kind: ElementKind): void {
    if (name === "sup") this.#raised--;
    if (kind.isVerbatim) this.#verbatim--;
    if (kind.list !== undefined) this.#lists.pop();
    if (name === "li") this.#body.mark("");
    if (headingNames.test(name)) this.#endHeading();
    if (name === "table") this.#rows.pop();
    if (name === "table" || name === "tr") this.#body.startRow();
    if (kind.layout !== "inline") this.#body.endLine(kind.layout === "paragraph" ? 2 : 1);
  }

  #endHeading(): void {
    const text = this.#heading?.title.text ?? "";
    if (this.#heading !== undefined && text !== "" && this.#headings.length < headingsMax)
      this.#headings.push({ start: this.#heading.start, text });
    this.#heading = undefined;
  }

  #marker(attributes: ReadonlyMap<string, string>): string {
    const depth = this.#lists.length;
    const indent = "  ".repeat(Math.min(Math.max(0, depth - 1), indentsMax));
    const list = this.#lists.at(-1);
    if (list === undefined) return `${indent}- `;
    const number = wholeNumber(attributes.get("value")) ?? list.next;
    list.next = number + list.step;
    return `${indent}${listNumber(number, attributes.get("type")?.trim() ?? list.type)}. `;
  }
}

/** A heading of a page. */
export interface Heading {
  /** Length of the text before it. */
  start: number;
  text: string;
}

const headingNames = /^h[1-6]$/;
const headingsMax = 10_000;

/** An open list whose items have numbers. */
interface NumberedList {
  next: number;
  step: 1 | -1;
  /** `1`, `a`, `A`, `i` or `I`. */
  type: string;
}

/** Returns true for a list that begins with the number of its items. */
const isCounted = (name: string, attributes: ReadonlyMap<string, string>) =>
  name === "ol" && attributes.has("reversed") && wholeNumber(attributes.get("start")) === undefined;

/** `items`: of a list that begins with their number; such a list in a fragment, whose length is unknown, has no numbers. */
function numberedList(
  attributes: ReadonlyMap<string, string>,
  items: number | undefined,
): NumberedList | undefined {
  const isReversed = attributes.has("reversed");
  if (isCounted("ol", attributes) && items === undefined) return undefined;
  return {
    next: wholeNumber(attributes.get("start")) ?? items ?? 1,
    step: isReversed ? -1 : 1,
    type: attributes.get("type")?.trim() ?? "1",
  };
}

function wholeNumber(text: string | undefined): number | undefined {
  const match = /^\s*([-+]?\d{1,9})/.exec(text ?? "");
  return match === null ? undefined : Number(match[1]);
}

/** Boxes show whether they are checked; other inputs show nothing. */
function inputSign(attributes: ReadonlyMap<string, string>): string {
  const type = attributes.get("type")?.trim().toLowerCase();
  if (type !== "checkbox" && type !== "radio") return "";
  return attributes.has("checked") ? " ☒ " : " ☐ ";
}

function hidesByAttributes(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.has("hidden") || (name === "dialog" && !attributes.has("open"))) return true;
  return hidesElement(attributes.get("style") ?? "");
}

function withoutFirstBreak(text: string): string {
  const rest = text.startsWith("\r") ? text.slice(1) : text;
  return rest.startsWith("\n") ? rest.slice(1) : text;
}
