import { attr, childrenOf, textOf, type XmlNode } from "../../../kit/xml/xml-node.ts";

const fieldCharsMax = 500;

/** Elements of the properties of OOXML, ODF and EPUB. */
const fields: ReadonlyMap<string, string> = new Map([
  ["title", "title"],
  ["creator", "author"],
  ["initial-creator", "author"],
  ["subject", "subject"],
  ["keywords", "keywords"],
  ["keyword", "keywords"],
  ["language", "language"],
  ["created", "created_at"],
  ["creation-date", "created_at"],
  ["modified", "modified_at"],
]);

/** Properties among the children of an element; the first of a kind counts. */
export function coreProperties(parent: XmlNode | undefined): { title?: string } & Record<string, string> {
  const found: Record<string, string> = {};
  for (const node of childrenOf(parent)) {
    const name =
      fields.get(node.name) ?? (attr(node, "property") === "dcterms:modified" ? "modified_at" : undefined);
    const value = name === undefined ? undefined : fieldValue(name, textOf(node));
    if (name !== undefined && value !== undefined) found[name] ??= value;
  }
  return found;
}

function fieldValue(name: string, text: string): string | undefined {
  const value = text.replaceAll("\0", "").trim().slice(0, fieldCharsMax).toWellFormed();
  if (!name.endsWith("_at")) return value === "" ? undefined : value;
  const instant = new Date(value);
  return value === "" || Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}
