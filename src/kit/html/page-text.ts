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
  /** For each open list the number of its next item; undefined if its items have no numbers. */
  readonly #lists: (number | undefined)[] = [];
  /** For each open table its last row. */
  readonly #rows: Row[] = [];
  #verbatim = 0;
  /** True directly after `<pre>`, where a line break is ignored. */
  #isVerbatimFresh = false;
  #titleState: "none" | "reading" | "read" = "none";

  constructor(charsMax: number) {
    this.#body = new TextWriter(charsMax);
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

  text(text: string): void {
    if (this.#titleState === "reading") this.#title.add(text);
    if (this.#open.areHidden) return;
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
      if (!this.#open.areHidden) this.#layVoid(name, kind);
      return undefined;
    }
    const isInDrawing = this.#open.place("svg") !== -1;
    const hides = kind.isHidden === true || hidesByAttributes(name, attributes);
    const isShown = !hides && !this.#open.areHidden;
    if (isShown) this.#begin(name, kind);
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

  #layVoid(name: string, kind: ElementKind): void {
    if (name === "br") this.#body.breakLine();
    else if (kind.layout === "paragraph") this.#body.endLine(2);
  }

  #begin(name: string, kind: ElementKind): void {
    const body = this.#body;
    if (kind.layout !== "inline") body.endLine(kind.layout === "paragraph" ? 2 : 1);
    if (kind.isVerbatim) {
      this.#verbatim++;
      this.#isVerbatimFresh = true;
    }
    if (kind.list !== undefined) this.#lists.push(kind.list === "numbered" ? 1 : undefined);
    if (name === "li") body.mark(this.#marker());
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
    if (kind.isVerbatim) this.#verbatim--;
    if (kind.list !== undefined) this.#lists.pop();
    if (name === "li") this.#body.mark("");
    if (name === "table") this.#rows.pop();
    if (name === "table" || name === "tr") this.#body.startRow();
    if (kind.layout !== "inline") this.#body.endLine(kind.layout === "paragraph" ? 2 : 1);
  }

  #marker(): string {
    const depth = this.#lists.length;
    const indent = "  ".repeat(Math.min(Math.max(0, depth - 1), indentsMax));
    const number = this.#lists.at(-1);
    if (number === undefined) return `${indent}- `;
    this.#lists[depth - 1] = number + 1;
    return `${indent}${number}. `;
  }
}

function hidesByAttributes(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.has("hidden") || (name === "dialog" && !attributes.has("open"))) return true;
  return hidesElement(attributes.get("style") ?? "");
}

function withoutFirstBreak(text: string): string {
  const rest = text.startsWith("\r") ? text.slice(1) : text;
  return rest.startsWith("\n") ? rest.slice(1) : text;
}
