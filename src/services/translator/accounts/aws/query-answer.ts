/*
 * Answers of IAM's query protocol: elements and text. Attributes, comments and declarations say nothing there and are skipped; entities that
 * a document declares itself aren't known, so nothing expands.
 */

export class XmlElement {
  readonly name: string;
  readonly children: XmlElement[] = [];
  text = "";

  constructor(name: string) {
    this.name = name;
  }

  /** Returns the first child of this name. */
  find(name: string): XmlElement | undefined {
    return this.children.find((child) => child.name === name);
  }

  /** Returns the `member` elements of the child list of this name. */
  members(name: string): XmlElement[] {
    return this.find(name)?.children.filter((child) => child.name === "member") ?? [];
  }
}

const token = /<\?[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([\w:.-]+)[^>]*?(\/?)>|([^<]+)/g;

/** Reads a document; what isn't XML gives an element without children. */
export function readXml(text: string): XmlElement {
  const document = new XmlElement("");
  const open = [document];
  for (const [, isEnd, name, isEmpty, characters] of text.matchAll(token)) {
    const current = open.at(-1) ?? document;
    if (characters !== undefined)
      current.text += characters.replaceAll(/&(?:(\w+)|#(\d{1,7})|#x([\da-f]{1,6}));/gi, decoded);
    else if (name === undefined) continue;
    else if (isEnd === "/") {
      if (open.length > 1 && current.name === name) open.pop();
    } else {
      const element = new XmlElement(name);
      current.children.push(element);
      if (isEmpty !== "/") open.push(element);
    }
  }
  for (const element of document.children) if (/Response$/.test(element.name)) return element;
  return document;
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decoded(
  whole: string,
  name: string | undefined,
  decimal: string | undefined,
  hex: string | undefined,
): string {
  if (name !== undefined) return named[name] ?? whole;
  const point = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? "", 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
}
