import { attributeOf } from "../../../kit/xml/scan-xml.ts";
import { attr, childOf, childrenOf, descendantsOf, type XmlNode } from "../../../kit/xml/xml-node.ts";
import { documentTooLarge } from "../document-fault.ts";
import type { ReadDocument } from "../document-file.ts";
import { counted, DocumentWriter } from "../document-writer.ts";
import { coreProperties } from "../packed/core-properties.ts";
import { readPart, readPartIfAny, relationsOf, scanPart } from "../packed/xml-parts.ts";
import type { ZipArchive } from "../packed/zip-archive.ts";
import { type MergedCells, type SheetRow, spreadMerged } from "./merged-cells.ts";
import { type NumberForm, numberForms, showNumber } from "./number-form.ts";
import { SheetRows } from "./sheet-rows.ts";

const columnsMax = 16_384;
const cellsMax = 3_000_000;

/** Reads the sheets of an XLSX, row by row. Throws AppError `document_unreadable` or `document_too_large`. */
export function readXlsx(archive: ZipArchive): ReadDocument {
  const book =
    [...relationsOf(archive, "").values()].find(({ type }) => type === "officeDocument")?.target ??
    "xl/workbook.xml";
  const workbook = readPart(archive, book);
  const relations = relationsOf(archive, book);
  const targetOf = (type: string) => [...relations.values()].find((one) => one.type === type)?.target ?? "";
  const is1904 = ["1", "true"].includes(attr(childOf(workbook, "workbookPr"), "date1904") ?? "");
  const shared = sharedTexts(archive, targetOf("sharedStrings"));
  const forms = numberForms(readPartIfAny(archive, targetOf("styles")));
  const writer = new DocumentWriter();
  const budget = { cells: cellsMax };
  for (const sheet of childrenOf(childOf(workbook, "sheets"), "sheet")) {
    const state = attr(sheet, "state");
    const target = relations.get(relationId(sheet))?.target ?? "";
    if (state === "hidden" || state === "veryHidden") {
      writer.lose("hidden", 1, (count) => `${counted(count, "hidden sheet")} left out`);
      continue;
    }
    if (!archive.has(target)) continue;
    writer.heading(attr(sheet, "name") ?? "");
    readSheet(archive, target, { writer, shared, forms, is1904, budget });
    writer.gap();
  }
  const drawings = archive.names().filter((name) => /^xl\/(?:charts\/chart|media\/)/.test(name)).length;
  writer.lose("pictures", drawings, (count) =>
    count === 1 ? "1 chart or picture not read" : `${count} charts or pictures not read`,
  );
  const { title, ...metadata } = coreProperties(readPartIfAny(archive, "docProps/core.xml"));
  return { ...writer.read(), metadata, ...(title !== undefined && { title }) };
}

/** The id of a relation, which has a prefix, unlike an element's own id. */
export function relationId(node: XmlNode): string {
  for (const [name, value] of node.attributes) if (name.endsWith(":id")) return value;
  return "";
}

/** Texts that cells share, without the readings of characters. */
function sharedTexts(archive: ZipArchive, part: string): string[] {
  const texts: string[] = [];
  if (!archive.has(part)) return texts;
  let text: string | undefined;
  let isText = false;
  let readings = 0;
  scanPart(archive, part, {
    start(name) {
      if (name === "si") text = "";
      if (name === "rPh") readings++;
      isText = name === "t";
    },
    text(piece) {
      if (isText && readings === 0 && text !== undefined) text += piece;
    },
    end(name) {
      if (name === "rPh") readings--;
      if (name === "si") texts.push(text ?? "");
      isText = false;
    },
  });
  return texts;
}

interface SheetScope {
  writer: DocumentWriter;
  shared: readonly string[];
  forms: readonly NumberForm[];
  is1904: boolean;
  budget: { cells: number };
}

function readSheet(archive: ZipArchive, part: string, scope: SheetScope): void {
  const rows: SheetRow[] = [];
  const merges: MergedCells[] = [];
  const notes = cellNotes(archive, part);
  let row: SheetRow | undefined;
  let cell = { column: 0, type: "", style: 0, value: "" };
  let reading = false;
  let readings = 0;
  scanPart(archive, part, {
    start(name, attributes) {
      if (name === "row") {
        const number = Number(attributeOf(attributes, "r"));
        row = {
          number: Number.isInteger(number) && number > 0 ? number : (rows.at(-1)?.number ?? 0) + 1,
          cells: [],
        };
      } else if (name === "c") {
        if (--scope.budget.cells < 0)
          throw documentTooLarge("The sheets have too many cells; split the file.");
        const column = columnOf(attributeOf(attributes, "r") ?? "") ?? row?.cells.length ?? 0;
        cell = {
          column,
          type: attributeOf(attributes, "t") ?? "",
          style: Number(attributeOf(attributes, "s") ?? 0),
          value: "",
        };
      } else if (name === "mergeCell") merges.push(...areaOf(attributeOf(attributes, "ref") ?? ""));
      else if (name === "rPh") readings++;
      reading = name === "v" || name === "t";
    },
    text(piece) {
      if (reading && readings === 0) cell.value += piece;
    },
    end(name) {
      reading = false;
      if (name === "rPh") readings--;
      if (name === "c" && row !== undefined && cell.column < columnsMax) {
        while (row.cells.length < cell.column) row.cells.push("");
        row.cells[cell.column] = withNote(shown(cell, scope), notes.get(`${cell.column} ${row.number}`));
      }
      if (name === "row" && row !== undefined && row.cells.some((text) => text !== "")) rows.push(row);
    },
  });
  spreadMerged(rows, merges);
  const table = new SheetRows(scope.writer);
  for (const { cells, head } of rows) table.add(cells, head);
  table.end();
  scope.writer.lose("notes", notes.size, (count) => `${counted(count, "note")} read`);
}

function shown(
  { type, style, value }: { type: string; style: number; value: string },
  scope: SheetScope,
): string {
  if (type === "s") return scope.shared[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  if (type === "str" || type === "inlineStr" || type === "e" || type === "d" || value === "") return value;
  return showNumber(Number(value), value, scope.forms[style] ?? "general", scope.is1904);
}

function columnOf(reference: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, one) => sum * 26 + one.charCodeAt(0) - 64, 0) - 1;
}

/** The area of a reference such as `A1:C2`. */
function areaOf(reference: string): MergedCells[] {
  const [, first = "", top, last = "", bottom] =
    /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(reference) ?? [];
  const [left, right] = [columnOf(first), columnOf(last)];
  if (left === undefined || right === undefined) return [];
  return [{ top: Number(top), left, bottom: Number(bottom), right }];
}

const noteCharsMax = 2000;

/** Notes that people wrote on cells, by column and row. */
function cellNotes(archive: ZipArchive, sheet: string): Map<string, string> {
  const notes = new Map<string, string>();
  for (const { type, target } of relationsOf(archive, sheet).values()) {
    if (type !== "comments" || !archive.has(target)) continue;
    for (const comment of childrenOf(childOf(readPart(archive, target), "commentList"), "comment")) {
      const [, letters = "", row] = /^([A-Z]{1,3})(\d{1,7})$/.exec(attr(comment, "ref") ?? "") ?? [];
      const text = [...descendantsOf(comment, "t")].map((node) => node.content.join("")).join("");
      const line = text.replace(/\s+/g, " ").trim().slice(0, noteCharsMax);
      if (line !== "") notes.set(`${columnOf(letters)} ${row}`, line);
    }
  }
  return notes;
}

const withNote = (text: string, note: string | undefined) =>
  note === undefined ? text : `${text} (note: ${note})`.trim();
