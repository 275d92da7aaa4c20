import { attributeOf, scanXml, type XmlAttributes } from "./scan-xml.ts";

/** An element of a document; its name is without prefix. */
export interface XmlNode {
  name: string;
  attributes: XmlAttributes;
  /** Elements and texts, in order. */
  content: (XmlNode | string)[];
}

/** Thrown for a document with more elements than `nodesMax`. */
export class XmlTooLarge extends Error {}

const nodesMax = 1_500_000;

/** Reads a whole document into memory. Throws `XmlFault` or `XmlTooLarge`. */
export function readXml(xml: string): XmlNode {
  const root: XmlNode = { name: "", attributes: new Map(), content: [] };
  const open = [root];
  let nodes = 0;
  scanXml(xml, {
    start(name, attributes) {
      if (++nodes > nodesMax) throw new XmlTooLarge("The XML has too many elements.");
      const node: XmlNode = { name, attributes, content: [] };
      open.at(-1)?.content.push(node);
      open.push(node);
    },
    text: (text) => open.at(-1)?.content.push(text),
    end: () => open.pop(),
  });
  const top = root.content.find((one): one is XmlNode => typeof one !== "string");
  return top ?? root;
}

export function* childrenOf(node: XmlNode | undefined, name?: string): Generator<XmlNode> {
  for (const one of node?.content ?? [])
    if (typeof one !== "string" && (name === undefined || one.name === name)) yield one;
}

/** Returns the first child along the names. */
export function childOf(node: XmlNode | undefined, ...names: string[]): XmlNode | undefined {
  let descendant = node;
  for (const name of names) descendant = childrenOf(descendant, name).next().value ?? undefined;
  return descendant;
}

/** Yields the elements of that name below a node, in order. */
export function* descendantsOf(node: XmlNode | undefined, name: string): Generator<XmlNode> {
  for (const child of childrenOf(node)) {
    if (child.name === name) yield child;
    yield* descendantsOf(child, name);
  }
}

/** Returns an attribute by its name without prefix. */
export const attr = (node: XmlNode | undefined, name: string): string | undefined =>
  node === undefined ? undefined : attributeOf(node.attributes, name);

/** Returns all text below a node. */
export function textOf(node: XmlNode | undefined): string {
  return (node?.content ?? []).map((one) => (typeof one === "string" ? one : textOf(one))).join("");
}
