import { unreadable } from "../document-fault.ts";
import type { ReadDocument } from "../document-file.ts";
import { DocumentWriter } from "../document-writer.ts";
import { SheetRows } from "./sheet-rows.ts";

const delimiters = [",", ";", "\t", "|"];
const sampleChars = 16_384;

/** Reads a CSV; the delimiter is the one that its first lines use most evenly. Throws AppError `document_unreadable`. */
export function readCsv(text: string): ReadDocument {
  const writer = new DocumentWriter();
  const rows = new SheetRows(writer);
  const named = /^sep=(.)\n/.exec(text);
  const body = named === null ? text : text.slice(named[0].length);
  for (const row of csvRows(body, named?.[1] ?? delimiterOf(body))) rows.add(row);
  rows.end();
  return { ...writer.read(), metadata: {} };
}

function delimiterOf(text: string): string {
  const sample = text.slice(0, sampleChars);
  let best = { delimiter: ",", score: 0 };
  for (const delimiter of delimiters) {
    const widths: number[] = [];
    for (const row of csvRows(sample, delimiter)) {
      if (row.length > 1 || row[0] !== "") widths.push(row.length);
      if (widths.length === 20) break;
    }
    const [width = 1] = widths;
    const even = widths.filter((one) => one === width).length / Math.max(1, widths.length);
    const score = width === 1 ? 0 : even * 1000 + width;
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

/** Rows of RFC 4180; a quote inside a field that began without one is a character. */
export function* csvRows(text: string, delimiter: string): Generator<string[]> {
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let field: string;
    if (text[at] === '"') {
      let end = at + 1;
      for (;;) {
        end = text.indexOf('"', end);
        if (end === -1) end = text.length;
        if (text[end + 1] !== '"' || end >= text.length) break;
        end += 2;
      }
      field = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
      const rest = fieldEnd(text, at, delimiter);
      field += text.slice(at, rest);
      at = rest;
    } else {
      const end = fieldEnd(text, at, delimiter);
      field = text.slice(at, end);
      at = end;
    }
    row.push(field);
    if (row.length > columnsMax) throw unreadable("The CSV has a row of more than 16,384 fields.");
    if (text[at] === delimiter) {
      at++;
      if (at === text.length) row.push("");
      if (at < text.length) continue;
    } else at++;
    yield row;
    row = [];
  }
}

const columnsMax = 16_384;

function fieldEnd(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== "\n") at++;
  return at;
}
