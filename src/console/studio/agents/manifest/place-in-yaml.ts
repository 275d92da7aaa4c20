import { isMap, isPair, isScalar, isSeq, type Node, type Pair, parseDocument, visit } from "yaml";
import type { Segment } from "../../../../manifest/fault.ts";

/** Where in a document somebody writes. */
export interface PlaceInYaml {
  /** Of the value that the word is, or of the mapping that it would be a key of. */
  path: Segment[];
  /** The part of the word before the cursor, and where it begins. */
  prefix: string;
  from: number;
  /** What the document says without the word. */
  value: unknown;
}

/** A word that no manifest has, to be found again in the document. */
const mark = "argosy-cursor-here";

/** Where the cursor at `offset` stands; undefined inside a comment or a longer text. */
export function placeInYaml(text: string, offset: number): PlaceInYaml | undefined {
  const prefix = /[\w./-]*$/.exec(text.slice(0, offset))?.[0] ?? "";
  const after = /^[\w./-]*/.exec(text.slice(offset))?.[0] ?? "";
  const from = offset - prefix.length;
  const rest = text.slice(offset + after.length);
  // Alone in its line, a word would run together with the next one.
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
