/** Receives the parts of a document in order. Names of elements come without their prefix. */
export interface XmlSink {
  start(name: string, attributes: XmlAttributes): void;
  text(text: string): void;
  end(name: string): void;
}

/** Attributes with the names as written, including prefixes. */
export type XmlAttributes = ReadonlyMap<string, string>;

/** XML that is not well formed, too deep, or has a document type. */
export class XmlFault extends Error {
  readonly reason: "damaged" | "document_type";

  constructor(reason: XmlFault["reason"]) {
    super(reason === "damaged" ? "The XML is not well formed." : "The XML has a document type.");
    this.reason = reason;
  }
}

const depthMax = 400;
const none: XmlAttributes = new Map();

/**
 * Reads XML part by part, without expanding any entity but the five of the standard. Throws `XmlFault`. Linear in the length of the text.
 */
export function scanXml(xml: string, sink: XmlSink): void {
  const open: string[] = [];
  let hasRoot = false;
  let at = 0;
  while (at < xml.length) {
    const markup = xml.indexOf("<", at);
    const textEnd = markup === -1 ? xml.length : markup;
    if (textEnd > at && open.length > 0) sink.text(decodeXml(xml.slice(at, textEnd)));
    if (markup === -1) break;
    if (xml.startsWith("<!--", markup)) at = behind(xml, "-->", markup + 4);
    else if (xml.startsWith("<![CDATA[", markup)) {
      at = behind(xml, "]]>", markup + 9);
      if (open.length > 0) sink.text(xml.slice(markup + 9, at - 3));
    } else if (xml.startsWith("<?", markup)) at = behind(xml, "?>", markup + 2);
    else if (xml.startsWith("<!", markup)) throw new XmlFault("document_type");
    else if (xml[markup + 1] === "/") {
      at = behind(xml, ">", markup + 2);
      const name = xml.slice(markup + 2, at - 1).trimEnd();
      if (open.pop() !== name) throw new XmlFault("damaged");
      sink.end(localName(name));
    } else {
      const end = tagEnd(xml, markup + 1);
      const isEmpty = xml[end - 1] === "/";
      const { name, attributes } = readTag(xml.slice(markup + 1, isEmpty ? end - 1 : end));
      if (name === "" || (open.length === 0 && hasRoot) || open.length >= depthMax)
        throw new XmlFault("damaged");
      hasRoot = true;
      const local = localName(name);
      sink.start(local, attributes);
      if (isEmpty) sink.end(local);
      else open.push(name);
      at = end + 1;
    }
  }
  if (open.length > 0 || !hasRoot) throw new XmlFault("damaged");
}

/** Returns the value of the attribute with this local name, whatever its prefix. */
export function attributeOf(attributes: XmlAttributes, name: string): string | undefined {
  const exact = attributes.get(name);
  if (exact !== undefined) return exact;
  for (const [key, value] of attributes)
    if (key.endsWith(name) && key.at(-name.length - 1) === ":") return value;
  return undefined;
}

function behind(xml: string, mark: string, from: number): number {
  const markAt = xml.indexOf(mark, from);
  if (markAt === -1) throw new XmlFault("damaged");
  return markAt + mark.length;
}

/** Position of the `>` that ends a tag; one in a quoted value does not. */
function tagEnd(xml: string, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const code = xml.charCodeAt(at);
    if (code === 0x3e) return at;
    if (code === 0x3c) break;
    if (code !== 0x22 && code !== 0x27) continue;
    at = xml.indexOf(code === 0x22 ? '"' : "'", at + 1);
    if (at === -1) break;
  }
  throw new XmlFault("damaged");
}

const attributePattern = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function readTag(tag: string): { name: string; attributes: XmlAttributes } {
  const space = tag.search(/\s/);
  if (space === -1) return { name: tag, attributes: none };
  const attributes = new Map<string, string>();
  for (const [, key = "", double, single] of tag.slice(space).matchAll(attributePattern)) {
    attributes.set(key, decodeXml(double ?? single ?? ""));
  }
  return { name: tag.slice(0, space), attributes };
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

function decodeXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return entities.get(name) ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
        ? ""
        : String.fromCodePoint(code);
    },
  );
}
