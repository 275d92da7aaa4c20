import { attr, childOf, childrenOf, type XmlNode } from "../../../kit/xml/xml-node.ts";

/** Properties of a style that matter for the text. */
export interface DocxStyle {
  name: string;
  basedOn: string | undefined;
  /** Numbering that the style brings. */
  numId: string | undefined;
  level: number | undefined;
  outline: number | undefined;
  isHidden: boolean | undefined;
}

const chainMax = 20;

/** Styles by id. */
export class DocxStyles {
  readonly #styles = new Map<string, DocxStyle>();
  #usual: string | undefined;

  constructor(part: XmlNode | undefined) {
    for (const node of childrenOf(part, "style")) {
      const id = attr(node, "styleId") ?? "";
      const paragraph = childOf(node, "pPr");
      const numbering = childOf(paragraph, "numPr");
      this.#styles.set(id, {
        name: (attr(childOf(node, "name"), "val") ?? "").toLowerCase(),
        basedOn: attr(childOf(node, "basedOn"), "val"),
        numId: attr(childOf(numbering, "numId"), "val"),
        level: numberOf(attr(childOf(numbering, "ilvl"), "val")),
        outline: numberOf(attr(childOf(paragraph, "outlineLvl"), "val")),
        isHidden: toggle(childOf(node, "rPr", "vanish")),
      });
      if (attr(node, "type") === "paragraph" && isOn(attr(node, "default"), false)) this.#usual = id;
    }
  }

  /** The first value in a style and those that it is based on, with the style that has it. */
  find<T>(
    id: string | undefined,
    value: (style: DocxStyle) => T | undefined,
  ): { value: T; style: string } | undefined {
    let at = id ?? this.#usual;
    for (let step = 0; at !== undefined && step < chainMax; step++) {
      const style = this.#styles.get(at);
      const found = style === undefined ? undefined : value(style);
      if (found !== undefined) return { value: found, style: at };
      at = style?.basedOn;
    }
    return undefined;
  }

  /** True for headings and titles. */
  isHeading(id: string | undefined): boolean {
    if (id === undefined) return false;
    const byName = ({ name }: DocxStyle) => (/^(?:heading [1-9]|title)$/.test(name) ? true : undefined);
    const byLevel = ({ outline }: DocxStyle) => (outline === undefined ? undefined : outline < 9);
    return (
      this.find(id, byName)?.value ?? this.find(id, byLevel)?.value ?? /^(?:Heading[1-9]|Title)$/.test(id)
    );
  }
}

export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^-?\d{1,9}$/.test(text)) return undefined;
  return Number(text);
}

/** A property that is on or off; undefined if it is absent. */
export function toggle(node: XmlNode | undefined): boolean | undefined {
  return node === undefined ? undefined : isOn(attr(node, "val"), true);
}

const isOn = (value: string | undefined, usual: boolean) =>
  value === undefined ? usual : !["0", "false", "off"].includes(value);
