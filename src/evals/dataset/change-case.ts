import { isDeepStrictEqual } from "node:util";
import { isCollection, isMap, isScalar, isSeq, type Node, parseDocument } from "yaml";
import { AppError } from "../../kit/app-error.ts";
import { type EvalCase, evalKind } from "../../manifest/eval/eval.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import { checkFile } from "../../manifest/schema/manifest-kind.ts";
import { plain } from "./add-case.ts";

/**
 * Replaces the case at `index` of an eval's YAML text. Keys of the case that stay the same keep their comments, and the rest of the file
 * stays as it is. Throws AppError `invalid_manifest` for a case that the schema refuses.
 */
export function withReplacedCase(text: string, file: string, index: number, one: object): string {
  const wanted = plain(one);
  const others = (cases: readonly EvalCase[]) => cases.toSpliced(index, 1);
  return firstGood(text, file, others, others, [
    () => spliced(text, index, (source) => changedEntry(source, wanted)),
    () => {
      const document = parseDocument(text);
      document.setIn(["spec", "cases", index], document.createNode(wanted));
      return document.toString({ lineWidth: 0, flowCollectionPadding: false });
    },
  ]);
}

/** Removes the case at `index` of an eval's YAML text, with the comments right above it. Throws AppError `last_case` for the only one. */
export function withoutCase(text: string, file: string, index: number): string {
  if (casesIn(text, file).length === 1) throw lastCase(file);
  const others = (cases: readonly EvalCase[]) => cases.toSpliced(index, 1);
  return firstGood(text, file, others, (cases) => cases, [
    () => withoutEntry(text, index),
    () => {
      const document = parseDocument(text);
      document.deleteIn(["spec", "cases", index]);
      return document.toString({ lineWidth: 0, flowCollectionPadding: false });
    },
  ]);
}

/** Replaces the case at `index` of a JSONL text, or removes it if `one` is undefined. */
export function withChangedLine(text: string, file: string, index: number, one: object | undefined): string {
  const lines = text.split("\n");
  const rows = lines.flatMap((line, at) => (line.trim() === "" ? [] : [at]));
  if (one === undefined && rows.length === 1) throw lastCase(file);
  const at = rows[index] ?? lines.length;
  lines.splice(at, 1, ...(one === undefined ? [] : [JSON.stringify(plain(one))]));
  return lines.join("\n");
}

/** Adds cases at the end of a JSONL text. */
export function withLines(text: string, added: readonly object[]): string {
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${before}${added.map((one) => `${JSON.stringify(plain(one))}\n`).join("")}`;
}

function lastCase(file: string): AppError {
  return new AppError("conflict", "last_case", `${file} would have no case left.`, {
    details: { hint: "Add another case first, or delete the file." },
  });
}

/** Returns the first of the texts in which only the case differs. The last one must be valid. */
function firstGood(
  text: string,
  file: string,
  keptBefore: (cases: readonly EvalCase[]) => readonly EvalCase[],
  keptAfter: (cases: readonly EvalCase[]) => readonly EvalCase[],
  ways: readonly (() => string | undefined)[],
): string {
  const unchanged = keptBefore(casesIn(text, file));
  let refused: unknown;
  for (const way of ways) {
    const changed = way();
    if (changed === undefined) continue;
    try {
      if (isDeepStrictEqual(keptAfter(casesIn(changed, "The changed case")), unchanged)) return changed;
    } catch (thrown) {
      refused = thrown;
    }
  }
  if (refused !== undefined) throw refused;
  throw new AppError("conflict", "case_not_editable", `The case can't be changed without changing others.`, {
    details: { hint: `Edit ${file} by hand: its cases share parts by YAML anchors.` },
  });
}

function casesIn(text: string, file: string): readonly EvalCase[] {
  const read = checkFile(evalKind, text, (name) => `\${${name}}`);
  if ("problems" in read) throw invalidManifest(read.problems, file);
  const { cases } = read.manifest.spec;
  return typeof cases === "string" ? [] : cases;
}

/** Place of an entry of the list of cases: its content, from its first key to the end of its last line. */
interface EntryPlace {
  start: number;
  end: number;
}

function placeOf(text: string, index: number): EntryPlace | undefined {
  const list = parseDocument(text).getIn(["spec", "cases"]);
  if (!isSeq(list) || list.flow === true) return undefined;
  const entry = list.items[index];
  if (!isMap(entry) || entry.range == null) return undefined;
  const last = endOf(entry);
  if (last === undefined) return undefined;
  const content = text.slice(0, last).trimEnd().length;
  const lineEnd = text.indexOf("\n", content);
  return { start: entry.range[0], end: lineEnd === -1 ? text.length : lineEnd };
}

/** Returns where the last value of a node ends, without the comments and empty lines after it. */
function endOf(node: unknown): number | undefined {
  if (isCollection(node) && node.flow !== true) {
    const last: unknown = node.items.at(-1);
    if (last !== undefined && last !== null && typeof last === "object" && "key" in last) {
      const { key, value } = last as { key: unknown; value?: unknown };
      return endOf(value) ?? endOf(key);
    }
    return endOf(last);
  }
  const range = (node as Node | null)?.range;
  if (range == null) return undefined;
  // An empty value has no characters of its own: its key ends the entry.
  return isScalar(node) && range[0] === range[1] ? undefined : range[1];
}

function spliced(
  text: string,
  index: number,
  change: (source: string) => string | undefined,
): string | undefined {
  const place = placeOf(text, index);
  if (place === undefined) return undefined;
  const column = place.start - (text.lastIndexOf("\n", place.start - 1) + 1);
  const indent = " ".repeat(column);
  const source = text.slice(place.start, place.end).replaceAll(new RegExp(`\\n {1,${column}}`, "g"), "\n");
  const changed = change(source);
  if (changed === undefined) return undefined;
  const entry = changed.trimEnd().replaceAll(/\n(?=[^\n])/g, `\n${indent}`);
  return `${text.slice(0, place.start)}${entry}${text.slice(place.end)}`;
}

/** Sets the keys that differ; the others keep their text and comments. */
function changedEntry(source: string, wanted: Record<string, unknown>): string | undefined {
  const document = parseDocument(source);
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const before = document.toJS() as Record<string, unknown>;
  for (const key of Object.keys(before)) if (!(key in wanted)) document.delete(key);
  for (const [key, value] of Object.entries(wanted)) {
    if (isDeepStrictEqual(before[key], value)) continue;
    const node = document.get(key, true);
    // A text that replaces a text keeps the comment of its line.
    if (isScalar(node) && typeof value === "string") node.value = value;
    else document.set(key, document.createNode(value));
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function withoutEntry(text: string, index: number): string | undefined {
  const place = placeOf(text, index);
  if (place === undefined) return undefined;
  const dash = text.lastIndexOf("-", place.start);
  let from = text.lastIndexOf("\n", dash) + 1;
  if (text.slice(from, dash).trim() !== "") return undefined;
  // The comment above the first case may be about all of them.
  while (index > 0) {
    const above = text.lastIndexOf("\n", from - 2) + 1;
    if (!/^\s*#/.test(text.slice(above, from))) break;
    from = above;
  }
  return `${text.slice(0, from)}${text.slice(place.end + 1)}`;
}
