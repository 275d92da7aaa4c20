import { type Document, isMap, isScalar, isSeq, parseDocument, Scalar, type YAMLSeq } from "yaml";
import type { Path } from "../../../manifest/fault.ts";
import { spliceScalar } from "./splice-scalar.ts";

const reading = { version: "1.2", schema: "core" } as const;

/**
 * Returns the text with another value at `path`, or without it if `value` is undefined. Comments and order stay. If only a text or a number
 * changes, every other character stays too. The text must be valid YAML.
 */
export function changeManifest(text: string, path: Path, value: unknown): string {
  const document = parseDocument(text, reading);
  const before = written(document, text);
  if (value === undefined) {
    takeOut(document, path);
    return carriedOver(text, before, written(document, text));
  }
  const present = document.getIn(path, true);
  if (isScalar(present) && (value === null || typeof value !== "object")) {
    const spliced = spliceScalar(text, document, path, value);
    if (spliced !== undefined) return spliced;
  }
  openParents(document, path);
  document.setIn(path, nodeOf(document, value));
  return carriedOver(text, before, written(document, text));
}

/** Removes a value, and mappings that become empty, up to the document's main parts. */
function takeOut(document: Document, path: Path): void {
  document.deleteIn(path);
  for (let length = path.length - 1; length > 1; length--) {
    const above = path.slice(0, length);
    const node = document.getIn(above);
    if ((!isMap(node) && !isSeq(node)) || node.items.length > 0) return;
    document.deleteIn(above);
  }
}

/** Makes the parents of a path writable: a key without a value becomes a mapping; an empty `[]` or `{}` becomes a block. */
function openParents(document: Document, path: Path): void {
  for (let length = 1; length < path.length; length++) {
    const above = path.slice(0, length);
    const node = document.getIn(above, true);
    if (isScalar(node) && node.value === null) {
      document.setIn(above, document.createNode(typeof path[length] === "number" ? [] : {}));
    }
    if ((isMap(node) || isSeq(node)) && node.items.length === 0) node.flow = false;
  }
}

/** Returns the document's value as JSON, or undefined if the text is not YAML. */
function meaning(text: string): string | undefined {
  const document = parseDocument(text, reading);
  return document.errors.length > 0 ? undefined : JSON.stringify(document.toJS());
}

function nodeOf(document: Document, value: unknown): unknown {
  if (typeof value !== "string" || !value.includes("\n")) return document.createNode(value);
  const node = new Scalar(value);
  node.type = /^[ \t\n]/.test(value) ? Scalar.QUOTE_DOUBLE : Scalar.BLOCK_LITERAL;
  return node;
}

/**
 * Applies the differences between two serializations to the text in its author's layout. Returns the new serialization if the lines do not
 * match.
 */
function carriedOver(text: string, before: string, after: string): string {
  const [own, old, now] = [text, before, after].map((one) => one.split("\n")) as [
    string[],
    string[],
    string[],
  ];
  if (own.length !== old.length) return after;
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const lines = [
    ...own.slice(0, start),
    ...now.slice(start, now.length - end),
    ...own.slice(own.length - end),
  ];
  const changed = lines.join("\n");
  return meaning(changed) === meaning(after) ? changed : after;
}

/** Serializes the document in the style of the text. */
function written(document: Document, text: string): string {
  const indent = /^( +)[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  return document.toString({
    lineWidth: 0,
    flowCollectionPadding: /[:-] \{ \w/.test(text),
    indent: Math.min(Math.max(indent, 2), 8),
    indentSeq: !hasFlatLists(document, text),
  });
}

/** Returns true if the first list is not indented below its key. */
function hasFlatLists(document: Document, text: string): boolean {
  const match = /^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n((?:[ \t]*(?:#[^\n]*)?\n)*)( *)- /m.exec(text);
  return match !== null && match[1] === match[3] && document.contents !== null;
}

/** Adds an item at the end of the list at `path`; creates the list if there is none. */
export function appendToManifest(text: string, path: Path, item: unknown): string {
  const list = parseDocument(text, reading).getIn(path) as YAMLSeq | undefined;
  if (!isSeq(list)) return changeManifest(text, path, [item]);
  return changeManifest(text, [...path, list.items.length], item);
}

/**
 * Renames the key at the end of the path. Every other character stays. Returns the text unchanged if it does not have the key, or if the new
 * one would not be read as written.
 */
export function renameInManifest(text: string, path: Path, key: string): string {
  const parent = parseDocument(text, reading).getIn(path.slice(0, -1), true);
  const present = isMap(parent)
    ? parent.items.find((one) => isScalar(one.key) && one.key.value === path.at(-1))?.key
    : undefined;
  if (!isScalar(present) || !present.range) return text;
  const [start, end] = present.range;
  const isPlain = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key) && !/^(true|false|null)$/i.test(key);
  const changed = text.slice(0, start) + (isPlain ? key : JSON.stringify(key)) + text.slice(end);
  const renamed = parseDocument(changed, reading);
  return renamed.errors.length === 0 && renamed.hasIn([...path.slice(0, -1), key]) ? changed : text;
}
