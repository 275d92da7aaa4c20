import { toAppError } from "../../kit/app-error.ts";
import { parseStrictJson } from "../../kit/json/strict-json.ts";
import type { CheckEntry } from "../../manifest/eval/checks.ts";
import { caseSchema, casesMax, type EvalCase, idsOf, reportCase } from "../../manifest/eval/eval.ts";
import { dotted, type Fault } from "../../manifest/fault.ts";
import { checkValue } from "../../manifest/schema/check-value.ts";
import { readCsv } from "./read-csv.ts";

/** A fault of a dataset and its line. */
export interface DatasetFault {
  line: number;
  message: string;
}

export type DatasetReading = { cases: EvalCase[] } | { faults: DatasetFault[] };

/** A case as written, and its line. */
interface Row {
  line: number;
  value: unknown;
}

const faultsMax = 20;

/**
 * Reads the cases of a `.jsonl` or `.csv` file: one case a line, or all faults with their lines. `shared` are the checks that the eval adds to
 * every case.
 */
export function readCases(
  text: string,
  format: "jsonl" | "csv",
  shared: readonly CheckEntry[],
): DatasetReading {
  const rows = format === "csv" ? csvRows(text) : jsonRows(text);
  const faults = rows.faults.slice(0, faultsMax);
  const cases: EvalCase[] = [];
  for (const [index, { line, value }] of rows.rows.entries()) {
    if (faults.length >= faultsMax) break;
    const { value: read, faults: found } = checkValue(caseSchema, value);
    // The schema accepted it.
    const one = read as EvalCase;
    const add = (path: Fault["path"], message: string) =>
      faults.push({ line, message: `${path.length === 0 ? "the case" : dotted(path)} ${message}` });
    for (const { path, message } of found) add(path, message);
    if (found.length > 0) continue;
    reportCase(one, { id: one.id ?? `case-${index + 1}`, shared }, [], add);
    cases.push(one);
  }
  if (rows.rows.length === 0 && faults.length === 0) faults.push({ line: 1, message: "has no case" });
  if (rows.rows.length > casesMax)
    faults.push({
      line: rows.rows[casesMax]?.line ?? 1,
      message: `is beyond ${casesMax} cases, the most that an eval may have`,
    });
  if (faults.length === 0) faults.push(...repeatedIds(cases, rows.rows));
  return faults.length === 0 ? { cases } : { faults };
}

function repeatedIds(cases: readonly EvalCase[], rows: readonly Row[]): DatasetFault[] {
  const first = new Map<string, number>();
  return idsOf(cases).flatMap((id, index) => {
    const line = rows[index]?.line ?? 0;
    const earlier = first.get(id);
    if (earlier !== undefined)
      return [{ line, message: `id repeats ${JSON.stringify(id)} of line ${earlier}` }];
    first.set(id, line);
    return [];
  });
}

interface Rows {
  rows: Row[];
  faults: DatasetFault[];
}

function jsonRows(text: string): Rows {
  const read: Rows = { rows: [], faults: [] };
  for (const [index, content] of text.split("\n").entries()) {
    if (content.trim() === "") continue;
    const line = index + 1;
    try {
      read.rows.push({ line, value: parseStrictJson(content.trim()) });
    } catch (thrown) {
      read.faults.push({ line, message: `can't be read: ${toAppError(thrown).message}` });
    }
  }
  return read;
}

/** Columns whose cells are JSON. */
const jsonColumns: ReadonlySet<string> = new Set(["checks", "stubs", "turns", "context"]);

function csvRows(text: string): Rows {
  const read = readCsv(text);
  if ("problem" in read) return { rows: [], faults: [{ line: read.line, message: read.problem }] };
  const [head, ...records] = read.records;
  if (head === undefined) return { rows: [], faults: [] };
  const columns = head.fields.map((column) => column.trim());
  const rows: Row[] = [];
  const faults: DatasetFault[] = [];
  for (const { line, fields } of records) {
    if (fields.length > columns.length) {
      faults.push({
        line,
        message: `has ${fields.length} fields, but the first line names ${columns.length}`,
      });
      continue;
    }
    const value: Record<string, unknown> = {};
    const context: Record<string, unknown> = {};
    for (const [index, cell] of fields.entries()) {
      const column = columns[index] ?? "";
      if (cell === "") continue;
      if (column.startsWith("context.")) context[column.slice("context.".length)] = cell;
      else if (column === "tags") value.tags = cell.split(/[\s;]+/).filter((tag) => tag !== "");
      else if (!jsonColumns.has(column)) value[column] = cell;
      else {
        try {
          value[column] = parseStrictJson(cell);
        } catch (thrown) {
          faults.push({ line, message: `${column} must be JSON: ${toAppError(thrown).message}` });
        }
      }
    }
    if (Object.keys(context).length > 0) value.context = { ...(value.context as object), ...context };
    rows.push({ line, value });
  }
  return { rows, faults };
}
