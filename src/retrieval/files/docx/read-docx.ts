import { attr, childOf, childrenOf, textOf, type XmlNode } from "../../../kit/xml/xml-node.ts";
import type { ReadDocument } from "../document-file.ts";
import { counted, DocumentWriter } from "../document-writer.ts";
import { coreProperties } from "../packed/core-properties.ts";
import { readPart, readPartIfAny, relationsOf } from "../packed/xml-parts.ts";
import type { ZipArchive } from "../packed/zip-archive.ts";
import { type InlineScope, inlineText } from "./docx-text.ts";
import { formatNumber } from "./number-formats.ts";
import { DocxNumbering } from "./numbering.ts";
import { DocxStyles, numberOf, toggle } from "./styles.ts";

/**
 * Reads a DOCX: paragraphs and headings with their numbers, lists, tables, notes and text boxes. Throws AppError `document_unreadable` or
 * `document_too_large`. Time and memory are not limited here, even for a hostile file.
 */
export function readDocx(archive: ZipArchive): ReadDocument {
  const main = mainPartOf(archive);
  const relations = [...relationsOf(archive, main).values()];
  const targetOf = (type: string) => relations.find((relation) => relation.type === type)?.target ?? "";
  const part = (type: string) => readPartIfAny(archive, targetOf(type));
  const reading = new DocxReading(readPart(archive, main), part);
  for (const { type, target } of relations) {
    if (type !== "header" && type !== "footer") continue;
    if (/\p{L}/u.test(textOf(readPartIfAny(archive, target)))) reading.loseMargin();
  }
  const { title, ...metadata } = coreProperties(readPartIfAny(archive, "docProps/core.xml"));
  return { ...reading.read(), metadata, ...(title !== undefined && { title }) };
}

function mainPartOf(archive: ZipArchive): string {
  const relations = [...relationsOf(archive, "").values()];
  return relations.find(({ type }) => type === "officeDocument")?.target ?? "word/document.xml";
}

const lossTexts: Readonly<Record<string, (count: number) => string>> = {
  equations: (count) => `${counted(count, "equation")} kept as LaTeX`,
  hidden: (count) => `${counted(count, "piece")} of hidden text left out`,
  deleted: (count) => `${counted(count, "tracked deletion")} left out`,
  comments: (count) => `${counted(count, "comment")} not read`,
  pictures: (count) => `${counted(count, "picture")} not read`,
  objects: (count) =>
    count === 1 ? "1 drawing or embedded object not read" : `${count} drawings or embedded objects not read`,
  symbols: (count) => `${counted(count, "sign")} of symbol fonts not read`,
};

const depthMax = 20;

class DocxReading {
  readonly #writer = new DocumentWriter();
  readonly #styles: DocxStyles;
  readonly #numbering: DocxNumbering;
  readonly #notes = new Map<string, XmlNode>();
  readonly #marks = { footnotes: new Map<string, string>(), endnotes: new Map<string, string>() };
  readonly #fields: InlineScope["fields"] = [];
  /** Text of a paragraph whose end was deleted: it goes on in the next one. */
  #carried = "";
  #wasList = false;

  constructor(document: XmlNode, part: (type: string) => XmlNode | undefined) {
    this.#styles = new DocxStyles(part("styles"));
    this.#numbering = new DocxNumbering(part("numbering"), this.#styles);
    for (const kind of ["footnotes", "endnotes"] as const)
      for (const note of childrenOf(part(kind))) this.#notes.set(`${kind} ${attr(note, "id")}`, note);
    this.#blocks(childOf(document, "body"), 0);
    this.#flush();
  }

  loseMargin(): void {
    this.#writer.lose("headers_and_footers", 1, (count) =>
      count === 1 ? "1 header or footer not read" : `${count} headers or footers not read`,
    );
  }

  read() {
    return this.#writer.read();
  }

  #blocks(parent: XmlNode | undefined, depth: number): void {
    for (const node of childrenOf(parent)) {
      if (node.name === "p") this.#paragraph(node, depth);
      else if (node.name === "tbl") this.#table(node, depth);
      else if (node.name === "sdt") this.#blocks(childOf(node, "sdtContent"), depth);
      else if (node.name === "AlternateContent")
        this.#blocks(childOf(node, "Choice") ?? childOf(node, "Fallback"), depth);
      else if (["ins", "moveTo", "customXml", "smartTag"].includes(node.name)) this.#blocks(node, depth);
      else if (node.name === "oMathPara" || node.name === "oMath")
        this.#paragraph({ ...node, name: "p", content: [node] }, depth);
    }
  }

  #paragraph(node: XmlNode, depth: number): void {
    const properties = childOf(node, "pPr");
    const { text, notes, boxes } = this.#inline(node);
    const mark = childOf(properties, "rPr");
    const isJoined = childOf(mark, "del") !== undefined || childOf(mark, "moveFrom") !== undefined;
    if (isJoined) this.#carried += text;
    else this.#write(this.#carried + text, properties);
    if (!isJoined) this.#carried = "";
    for (const { kind, id, mark } of notes) this.#note(kind, id, mark, depth);
    if (depth < depthMax) for (const box of boxes) this.#blocks(box, depth + 1);
  }

  #write(text: string, properties: XmlNode | undefined): void {
    // A paragraph that is hidden with its end has no number; an empty one has.
    const isHidden = text === "" && toggle(childOf(properties, "rPr", "vanish")) === true;
    const place = isHidden ? undefined : this.#numbering.placeOf(properties);
    const label = place === undefined ? undefined : this.#numbering.next(place);
    if (text.trim() === "") return;
    const style = attr(childOf(properties, "pStyle"), "val");
    const outline = numberOf(attr(childOf(properties, "outlineLvl"), "val"));
    const isHeading = outline === undefined ? this.#styles.isHeading(style) : outline < 9;
    if (isHeading) this.#writer.heading(`${label ?? ""}${text.trim()}`);
    else if (place === undefined || label === undefined) this.#writer.paragraph(text);
    else {
      if (!this.#wasList) this.#writer.gap();
      this.#writer.line(text, `${"  ".repeat(place.level)}${label}`);
    }
    this.#wasList = !isHeading && label !== undefined;
  }

  #inline(node: XmlNode): Pick<InlineScope, "notes" | "boxes"> & { text: string } {
    const scope: InlineScope = {
      styles: this.#styles,
      fields: this.#fields,
      notes: [],
      boxes: [],
      noteMark: (kind, id) => this.#noteMark(kind, id),
      lose: (kind) => this.#writer.lose(kind, 1, lossTexts[kind] ?? String),
    };
    return { text: inlineText(node, scope), notes: scope.notes, boxes: scope.boxes };
  }

  #noteMark(kind: "footnotes" | "endnotes", id: string): string {
    const marks = this.#marks[kind];
    const mark =
      marks.get(id) ?? formatNumber(marks.size + 1, kind === "footnotes" ? "decimal" : "lowerRoman");
    marks.set(id, mark);
    return mark;
  }

  /** A note follows the paragraph that names it. */
  #note(kind: string, id: string, mark: string, depth: number): void {
    const note = this.#notes.get(`${kind} ${id}`);
    if (note === undefined || depth >= depthMax) return;
    const text = this.#cellText(note, depth + 1);
    if (text !== "") this.#writer.paragraph(`[${mark}] ${text}`);
    this.#wasList = false;
  }

  #table(node: XmlNode, depth: number): void {
    this.#flush();
    this.#writer.gap();
    const above = new Map<number, string>();
    const widths = [...childrenOf(childOf(node, "tblGrid"), "gridCol")].length;
    for (const row of rowsOf(node)) {
      const before = numberOf(attr(childOf(row, "trPr", "gridBefore"), "val")) ?? 0;
      const cells: string[] = Array(Math.min(before, spanMax)).fill("");
      for (const cell of cellsOf(row)) this.#cell(cell, cells, above, { depth, widths });
      if (cells.some((text) => text !== "")) this.#writer.line(cells.join(" | ").replace(/^( \| )+/, "| "));
    }
    this.#writer.gap();
    this.#wasList = false;
  }

  /** Adds a cell to its row; one that is merged with others shows its text for each of them. */
  #cell(
    cell: XmlNode,
    cells: string[],
    above: Map<number, string>,
    { depth, widths }: { depth: number; widths: number },
  ): void {
    const properties = childOf(cell, "tcPr");
    const span = Math.min(Math.max(numberOf(attr(childOf(properties, "gridSpan"), "val")) ?? 1, 1), spanMax);
    const merge = childOf(properties, "vMerge");
    const isContinued = merge !== undefined && attr(merge, "val") !== "restart";
    const own = this.#cellText(cell, depth + 1);
    const text = isContinued ? (above.get(cells.length) ?? own) : own;
    if (merge === undefined) above.delete(cells.length);
    else above.set(cells.length, text);
    // A title over the whole table is said once.
    const isWhole = cells.length === 0 && span >= widths;
    cells.push(...Array(isWhole ? 1 : span).fill(text));
  }

  /** The text of a cell or note as one line. */
  #cellText(node: XmlNode, depth: number): string {
    if (depth > depthMax) return "";
    const lines: string[] = [];
    const collect = (parent: XmlNode | undefined) => {
      for (const child of childrenOf(parent)) {
        if (child.name === "p") lines.push(...this.#cellLines(child, depth));
        else if (child.name === "tbl")
          for (const row of rowsOf(child))
            lines.push([...cellsOf(row)].map((cell) => this.#cellText(cell, depth + 1)).join(" | "));
        else if (child.name === "sdt") collect(childOf(child, "sdtContent"));
        else if (["ins", "moveTo", "customXml", "smartTag"].includes(child.name)) collect(child);
      }
    };
    collect(node);
    return lines
      .filter((line) => line.trim() !== "")
      .join(" ")
      .replace(/\s+/g, " ")
      .trim();
  }

  #cellLines(node: XmlNode, depth: number): string[] {
    const { text, notes, boxes } = this.#inline(node);
    const place = this.#numbering.placeOf(childOf(node, "pPr"));
    const label = place === undefined ? undefined : this.#numbering.next(place);
    const notesText = notes.map(({ kind, id, mark }) => {
      const note = this.#notes.get(`${kind} ${id}`);
      return note === undefined || depth >= depthMax ? "" : `[${mark}] ${this.#cellText(note, depth + 1)}`;
    });
    return [
      text.trim() === "" ? "" : `${label ?? ""}${text}`,
      ...notesText,
      ...boxes.map((box) => this.#cellText(box, depth + 1)),
    ];
  }

  #flush(): void {
    if (this.#carried !== "") this.#writer.paragraph(this.#carried);
    this.#carried = "";
  }
}

const spanMax = 63;

/** Rows of a table, without deleted ones. */
function* rowsOf(node: XmlNode): Generator<XmlNode> {
  for (const child of childrenOf(node)) {
    if (child.name === "tr" && childOf(child, "trPr", "del") === undefined) yield child;
    if (child.name === "sdt") yield* rowsOf(childOf(child, "sdtContent") ?? child);
    if (child.name === "ins" || child.name === "customXml") yield* rowsOf(child);
  }
}

function* cellsOf(node: XmlNode): Generator<XmlNode> {
  for (const child of childrenOf(node)) {
    if (child.name === "tc") yield child;
    if (child.name === "sdt" || child.name === "sdtContent" || child.name === "customXml")
      yield* cellsOf(child);
  }
}
