import { attr, childOf, childrenOf, descendantsOf, type XmlNode } from "../../../kit/xml/xml-node.ts";
import { unreadable } from "../document-fault.ts";
import type { ReadDocument } from "../document-file.ts";
import { counted, DocumentWriter } from "../document-writer.ts";
import { coreProperties } from "../packed/core-properties.ts";
import { readPart, readPartIfAny } from "../packed/xml-parts.ts";
import type { ZipArchive } from "../packed/zip-archive.ts";
import { type MergedCells, type SheetRow, spreadMerged } from "../sheets/merged-cells.ts";
import { SheetRows } from "../sheets/sheet-rows.ts";
import { ListStyles } from "./list-styles.ts";

/** Reads a text, spreadsheet or presentation in OpenDocument. Throws AppError `document_unreadable` or `document_too_large`. */
export function readOdf(archive: ZipArchive): ReadDocument {
  if (isLocked(readPartIfAny(archive, "META-INF/manifest.xml")))
    throw unreadable("The document is protected by a password; save it without one and send it again.");
  const content = readPart(archive, "content.xml");
  const [body] = childrenOf(childOf(content, "body"));
  const writer = new DocumentWriter();
  const styles = new ListStyles([readPartIfAny(archive, "styles.xml"), content]);
  const reading = new OdfReading(writer, styles);
  if (body?.name === "spreadsheet") for (const table of childrenOf(body, "table")) reading.sheet(table);
  else if (body?.name === "presentation")
    for (const [index, page] of [...childrenOf(body, "page")].entries()) reading.slide(page, index + 1);
  else reading.blocks(body);
  const meta = childOf(readPartIfAny(archive, "meta.xml"), "meta");
  const { title, ...metadata } = coreProperties(meta);
  return { ...writer.read(), metadata, ...(title !== undefined && { title }) };
}

const isLocked = (manifest: XmlNode | undefined) =>
  [...descendantsOf(manifest, "encryption-data")].length > 0;

const columnsMax = 1024;
const listDepthMax = 20;
const repeatedRowsMax = 1000;

class OdfReading {
  readonly #writer: DocumentWriter;
  readonly #styles: ListStyles;
  /** Last numbers of lists by their id, to go on with. */
  readonly #lists = new Map<string, number>();

  constructor(writer: DocumentWriter, styles: ListStyles) {
    this.#writer = writer;
    this.#styles = styles;
  }

  blocks(parent: XmlNode | undefined): void {
    for (const node of childrenOf(parent)) {
      if (node.name === "h") this.#writer.heading(this.#text(node));
      else if (node.name === "p") this.#paragraph(node);
      else if (node.name === "list") {
        this.#writer.gap();
        this.#nestedList(node, "", []);
        this.#writer.gap();
      } else if (node.name === "table") this.#table(node);
      else if (["section", "index-body", "frame", "text-box", "g", "custom-shape"].includes(node.name))
        this.blocks(node);
      else if (/^(?:table-of-content|.*-index)$/.test(node.name)) this.blocks(childOf(node, "index-body"));
      else if (node.name === "image")
        this.#writer.lose("pictures", 1, (count) => `${counted(count, "picture")} not read`);
    }
  }

  sheet(table: XmlNode): void {
    this.#writer.heading(attr(table, "name") ?? "");
    const rows = new SheetRows(this.#writer);
    for (const { cells, head } of this.#rows(table)) rows.add(cells, head);
    rows.end();
    this.#writer.gap();
  }

  slide(page: XmlNode, number: number): void {
    this.#writer.page(number);
    this.#writer.section(undefined);
    for (const frame of childrenOf(page)) {
      if (frame.name === "notes") continue;
      if (attr(frame, "class") === "title") this.#writer.heading(this.#lines(frame).join(" "));
      else this.blocks({ ...page, content: [frame] });
    }
    const notes = this.#lines(childOf(page, "notes") ?? { ...page, content: [] }).filter(
      (line) => line !== "<number>",
    );
    if (notes.length > 0) this.#writer.paragraph(`Notes: ${notes.join("\n")}`);
  }

  #paragraph(node: XmlNode): void {
    this.#writer.paragraph(this.#text(node));
    for (const frame of childrenOf(node, "frame")) this.blocks(frame);
    for (const note of descendantsOf(node, "note")) {
      const mark = this.#text(childOf(note, "note-citation"));
      this.#writer.paragraph(`[${mark}] ${this.#lines(childOf(note, "note-body")).join(" ")}`);
    }
  }

  /** Writes a list; `above` has the numbers of the items that it is in. A list without a style of its own has that of the list around it. */
  #list(list: XmlNode, style: string, above: readonly number[]): void {
    const depth = above.length;
    const continued = attr(list, "continue-list");
    const isContinued = continued !== undefined || attr(list, "continue-numbering") === "true";
    const level = this.#styles.levelOf(style, depth);
    let number =
      (isContinued ? this.#lists.get(continued ?? ` ${style}`) : undefined) ?? (level?.start ?? 1) - 1;
    for (const item of childrenOf(list)) {
      if (item.name !== "list-item" && item.name !== "list-header") continue;
      const isNumbered = item.name === "list-item";
      const start = attr(item, "start-value");
      if (isNumbered) number = start === undefined || !/^\d{1,9}$/.test(start) ? number + 1 : Number(start);
      let isFirst = isNumbered;
      for (const node of childrenOf(item)) {
        if (node.name === "list") this.#nestedList(node, style, [...above, number]);
        else if (node.name === "p" || node.name === "h") {
          const marker = isFirst ? this.#styles.marker(style, [...above, number]) : "";
          this.#writer.line(this.#text(node), `${"  ".repeat(isFirst ? depth : 0)}${marker}`);
          isFirst = false;
        }
      }
    }
    this.#lists.set(attr(list, "id") ?? "", number);
    this.#lists.set(` ${style}`, number);
  }

  #nestedList(list: XmlNode, style: string, above: readonly number[]): void {
    this.#list(list, attr(list, "style-name") ?? style, above.slice(-listDepthMax));
  }

  #table(table: XmlNode): void {
    this.#writer.gap();
    for (const { cells } of this.#rows(table)) this.#writer.line(cells.join(" | "));
    this.#writer.gap();
  }

  /** Rows with content, with the labels of merged cells. */
  #rows(table: XmlNode): SheetRow[] {
    const rows: SheetRow[] = [];
    const merges: MergedCells[] = [];
    let number = 0;
    for (const row of rowsOf(table)) {
      const repeated = repeatOf(row, "number-rows-repeated");
      const cells = this.#cells(row, (left, cell) => {
        const [right, bottom] = [
          left + repeatOf(cell, "number-columns-spanned") - 1,
          number + repeatOf(cell, "number-rows-spanned") - 1,
        ];
        if (right > left || bottom > number) merges.push({ top: number, left, bottom, right });
      });
      const times = cells.every((cell) => cell === "") ? 0 : Math.min(repeated, repeatedRowsMax);
      for (let time = 0; time < times; time++) rows.push({ number: number + time, cells: [...cells] });
      number += repeated;
    }
    spreadMerged(rows, merges);
    return rows;
  }

  /** Cells of a row; empty ones at its end are left out. */
  #cells(row: XmlNode, found: (column: number, cell: XmlNode) => void): string[] {
    const cells: string[] = [];
    for (const cell of childrenOf(row)) {
      if (cell.name !== "table-cell" && cell.name !== "covered-table-cell") continue;
      const text = this.#lines(cell).join(" ");
      found(cells.length, cell);
      const times = Math.min(repeatOf(cell, "number-columns-repeated"), columnsMax - cells.length);
      for (let time = 0; time < times; time++) cells.push(text);
    }
    while (cells.at(-1) === "") cells.pop();
    return cells;
  }

  /** Paragraphs below a node, each as a line. */
  #lines(node: XmlNode | undefined): string[] {
    const lines: string[] = [];
    for (const child of childrenOf(node)) {
      if (child.name === "p" || child.name === "h") lines.push(this.#text(child));
      else if (child.name !== "annotation") lines.push(...this.#lines(child));
    }
    return lines.filter((line) => line.trim() !== "");
  }

  #text(node: XmlNode | undefined): string {
    let text = "";
    for (const child of node?.content ?? []) {
      if (typeof child === "string") text += child.replace(/\s+/g, " ");
      else if (child.name === "s") text += " ";
      else if (child.name === "tab") text += "\t";
      else if (child.name === "line-break") text += "\n";
      else if (child.name === "note") text += `[${this.#text(childOf(child, "note-citation"))}]`;
      else if (child.name === "ruby") text += this.#text(childOf(child, "ruby-base"));
      else if (child.name === "annotation")
        this.#writer.lose("comments", 1, (count) => `${counted(count, "comment")} not read`);
      else if (!["frame", "hidden-text", "change-start", "number"].includes(child.name))
        text += this.#text(child);
    }
    return text;
  }
}

function* rowsOf(table: XmlNode): Generator<XmlNode> {
  for (const node of childrenOf(table)) {
    if (node.name === "table-row") yield node;
    if (["table-rows", "table-header-rows", "table-row-group"].includes(node.name)) yield* rowsOf(node);
  }
}

function repeatOf(node: XmlNode, name: string): number {
  const times = Number(attr(node, name) ?? 1);
  return Number.isInteger(times) && times > 0 ? times : 1;
}
