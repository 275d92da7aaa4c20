/** A record of a CSV file and the line it starts at. */
export interface CsvRecord {
  line: number;
  fields: string[];
}

/** Records of a CSV text, or the line where it can't be read. */
export type CsvReading = { records: CsvRecord[] } | { line: number; problem: string };

/** Reads CSV as RFC 4180 has it: fields in double quotes may have commas, line breaks, and doubled quotes. */
export function readCsv(text: string): CsvReading {
  const records: CsvRecord[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const record: CsvRecord = { line, fields: [] };
    for (;;) {
      const field = text[at] === '"' ? quotedField(text, at) : plainField(text, at);
      if (field === undefined) return { line, problem: "has a field whose quote is not closed" };
      record.fields.push(field.value);
      line += field.lines;
      at = field.end;
      if (text[at] === ",") at++;
      else break;
    }
    if (at < text.length && text[at] !== "\n" && text[at] !== "\r")
      return { line, problem: "has text after a closing quote; double a quote inside a field" };
    at += text.startsWith("\r\n", at) ? 2 : 1;
    line++;
    if (record.fields.length > 1 || record.fields[0] !== "") records.push(record);
  }
  return { records };
}

interface Field {
  value: string;
  end: number;
  /** Line breaks inside the field. */
  lines: number;
}

function plainField(text: string, start: number): Field {
  let end = start;
  while (end < text.length && text[end] !== "," && text[end] !== "\n" && text[end] !== "\r") end++;
  return { value: text.slice(start, end), end, lines: 0 };
}

function quotedField(text: string, start: number): Field | undefined {
  let end = start + 1;
  for (;;) {
    end = text.indexOf('"', end);
    if (end === -1) return undefined;
    if (text[end + 1] !== '"') break;
    end += 2;
  }
  const value = text.slice(start + 1, end).replaceAll('""', '"');
  return { value, end: end + 1, lines: value.split("\n").length - 1 };
}
