import { listNumber } from "../../../kit/text/list-number.ts";
import { attr, childrenOf, type XmlNode } from "../../../kit/xml/xml-node.ts";

/** How a level of a list shows its numbers. */
interface NumberedLevel {
  /** `1`, `a`, `A`, `i` or `I`; empty: no number. */
  format: string;
  prefix: string;
  suffix: string;
  start: number;
  /** Number of levels whose numbers are shown, the own one last. */
  shown: number;
}

/** The numbered levels of all list styles of a document (OpenDocument 1.3, 16.30 and 16.31), by style and by level from 0 on. */
export class ListStyles {
  readonly #styles = new Map<string, Map<number, NumberedLevel>>();

  /** Later parts replace the styles of earlier ones with the same names. */
  constructor(parts: readonly (XmlNode | undefined)[]) {
    for (const part of parts)
      for (const group of childrenOf(part))
        for (const style of childrenOf(group, "list-style"))
          this.#styles.set(attr(style, "name") ?? "", levelsOf(style));
  }

  /** Undefined for a bullet. */
  levelOf(style: string, depth: number): NumberedLevel | undefined {
    return this.#styles.get(style)?.get(depth);
  }

  /** The marker of an item; `numbers` has those of the levels above, the outermost first, and its own. */
  marker(style: string, numbers: readonly number[]): string {
    const depth = numbers.length - 1;
    const own = this.levelOf(style, depth);
    if (own === undefined) return "- ";
    if (own.format === "") return "";
    const shown = numbers.slice(-own.shown);
    const written = shown.map((number, at) => {
      const level = this.levelOf(style, depth - shown.length + 1 + at);
      return listNumber(number, level?.format || "1");
    });
    return `${own.prefix}${written.join(".")}${own.suffix} `;
  }
}

function levelsOf(style: XmlNode): Map<number, NumberedLevel> {
  const levels = new Map<number, NumberedLevel>();
  for (const node of childrenOf(style, "list-level-style-number")) {
    const whole = (name: string) => {
      const value = Number(attr(node, name) ?? 1);
      return Number.isInteger(value) && value > 0 ? value : 1;
    };
    levels.set(whole("level") - 1, {
      format: attr(node, "num-format") ?? "",
      prefix: attr(node, "num-prefix") ?? "",
      suffix: attr(node, "num-suffix") ?? "",
      start: whole("start-value"),
      shown: whole("display-levels"),
    });
  }
  return levels;
}
