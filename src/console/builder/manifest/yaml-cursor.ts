import { isMap, isPair, isScalar, isSeq, type Node, type Pair, parseDocument, visit } from "yaml";
import type { Segment } from "../../../manifest/fault.ts";

/** The place of the cursor in a document. */
export interface YamlCursor {
  /** Path of the value that the word is, or of the mapping of which it would be a key. */
  path: Segment[];
  /** The part of the word before the cursor, and its offset. */
  prefix: string;
  from: number;
  /** The document's value without the word. */
  value: unknown;
}

/** A placeholder that no manifest contains, to find the place in the parsed document. */
const mark = "argosy-cursor-here";

/** Returns the place of the cursor at `offset`; undefined inside a comment or a longer text. */
export function yamlCursor(text: string, offset: number): YamlCursor | undefined {
  const prefix = /[\w./-]*$/.exec(text.slice(0, offset))?.[0] ?? "";
  const after = /^[\w./-]*/.exec(text.slice(offset))?.[0] ?? "";
  const from = offset - prefix.length;
  const rest = text.slice(offset + after.length);
  // Alone on its line, a word would be joined with the next one.
  const isAlone = /(^|\n)[ -]*$/.test(text.slice(0, from)) && /^[ \t]*(\n|$)/.test(rest);
  const marked = `${text.slice(0, from)}${mark}${isAlone ? ":" : ""}${rest}`;
  const document = parseDocument(marked, { version: "1.2", schema: "core" });
  let path: Segment[] | undefined;
  visit(document, {
    Scalar(key, node, ancestors) {
      if (node.value !== mark) return;
      const at = segmentsOf([...ancestors.filter((one) => !isDocumentLike(one)), node] as (Node | Pair)[]);
      path = key === "key" ? at.slice(0, -1) : at;
      const above = ancestors.at(-1);
      if (isPair(above)) removeFrom(ancestors.at(-2), above, key === "key");
      else if (isSeq(above)) above.set(Number(key), null);
      return visit.BREAK;
    },
  });
  if (path === undefined) return undefined;
  return { path, prefix, from, value: document.contents?.toJSON() };
}

const isDocumentLike = (node: unknown): boolean => !isMap(node) && !isSeq(node) && !isPair(node);

function segmentsOf(nodes: readonly (Node | Pair)[]): Segment[] {
  return nodes.flatMap((node, at) => {
    const above = nodes[at - 1];
    if (isPair(node)) return isScalar(node.key) ? String(node.key.value) : [];
    return isSeq(above) ? above.items.indexOf(node) : [];
  });
}

function removeFrom(map: unknown, pair: Pair, isKey: boolean): void {
  if (!isKey) pair.value = null;
  else if (isMap(map)) map.items.splice(map.items.indexOf(pair as (typeof map.items)[number]), 1);
}
