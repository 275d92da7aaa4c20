import { attr, childOf, childrenOf, type XmlNode } from "../../../kit/xml/xml-node.ts";
import { formatNumber } from "./number-formats.ts";
import { type DocxStyles, numberOf, toggle } from "./styles.ts";

interface Level {
  start: number;
  format: string;
  /** `%1.%2` with the numbers of levels from 1 on. */
  text: string;
  /** Level after which it begins again; 0: never, undefined: any higher one. */
  restart: number | undefined;
  style: string | undefined;
  isLegal: boolean;
}

interface List {
  /** Lists with the same definition count on. */
  definition: string;
  levels: ReadonlyMap<number, Level>;
  starts: ReadonlyMap<number, number>;
}

const levelsMax = 9;

/** The numbers of a document's paragraphs as Word shows them. */
export class DocxNumbering {
  readonly #lists = new Map<string, List>();
  readonly #styles: DocxStyles;
  /** Numbers of each definition by level; undefined: not counted since the last restart. */
  readonly #counts = new Map<string, (number | undefined)[]>();
  /** Lists whose own start has been used, by level. */
  readonly #started = new Set<string>();

  constructor(part: XmlNode | undefined, styles: DocxStyles) {
    this.#styles = styles;
    const definitions = new Map<string, XmlNode>();
    for (const node of childrenOf(part, "abstractNum"))
      definitions.set(attr(node, "abstractNumId") ?? "", node);
    const numbers = new Map<string, XmlNode>();
    for (const node of childrenOf(part, "num")) numbers.set(attr(node, "numId") ?? "", node);
    for (const [id, node] of numbers) {
      const definition = this.#definitionOf(node, definitions, numbers);
      const levels = levelsOf(definition.node);
      const starts = new Map<number, number>();
      for (const override of childrenOf(node, "lvlOverride")) {
        const at = numberOf(attr(override, "ilvl")) ?? 0;
        const start = numberOf(attr(childOf(override, "startOverride"), "val"));
        if (start !== undefined) starts.set(at, start);
        const level = childOf(override, "lvl");
        if (level !== undefined) levels.set(at, levelOf(level));
      }
      this.#lists.set(id, { definition: definition.id, levels, starts });
    }
  }

  /** Returns the list and level of a paragraph; undefined if it has no number. */
  placeOf(properties: XmlNode | undefined): { list: string; level: number } | undefined {
    const own = childOf(properties, "numPr");
    const styleId = attr(childOf(properties, "pStyle"), "val");
    const byStyle = this.#styles.find(styleId, ({ numId }) => numId);
    const list = attr(childOf(own, "numId"), "val") ?? byStyle?.value;
    if (list === undefined || !this.#lists.has(list)) return undefined;
    const said = numberOf(attr(childOf(own, "ilvl"), "val"));
    const level =
      said ?? this.#levelOfStyle(list, styleId) ?? this.#styles.find(styleId, (one) => one.level)?.value ?? 0;
    return { list, level: Math.min(Math.max(level, 0), levelsMax - 1) };
  }

  /** Counts a paragraph and returns its label: `- ` for a bullet, undefined if it has none. */
  next({ list: id, level: at }: { list: string; level: number }): string | undefined {
    const list = this.#lists.get(id);
    const level = list?.levels.get(at);
    if (list === undefined || level === undefined) return undefined;
    const counts = this.#counts.get(list.definition) ?? [];
    this.#counts.set(list.definition, counts);
    const own = list.starts.get(at);
    const isOwnStart = own !== undefined && !this.#started.has(`${id} ${at}`);
    this.#started.add(`${id} ${at}`);
    const last = counts[at];
    counts[at] = isOwnStart ? own : last === undefined ? (own ?? level.start) : last + 1;
    for (let deeper = at + 1; deeper < levelsMax; deeper++) {
      const restart = list.levels.get(deeper)?.restart;
      if (restart === undefined || (restart !== 0 && at < restart)) counts[deeper] = undefined;
    }
    if (level.format === "bullet") return "- ";
    const label = this.#label(list, level, counts);
    return label === "" ? undefined : `${label} `;
  }

  #label(
    { levels, starts }: List,
    { text, isLegal }: Level,
    counts: readonly (number | undefined)[],
  ): string {
    return text
      .replace(/%([1-9])/g, (_, digit) => {
        const at = Number(digit) - 1;
        const level = levels.get(at);
        const value = counts[at] ?? starts.get(at) ?? level?.start ?? 1;
        return formatNumber(value, isLegal ? "decimal" : (level?.format ?? "decimal"));
      })
      .trim();
  }

  #levelOfStyle(list: string, style: string | undefined): number | undefined {
    for (const [at, level] of this.#lists.get(list)?.levels ?? [])
      if (style !== undefined && level.style === style) return at;
    return undefined;
  }

  /** A definition may leave its levels to the list of a style. */
  #definitionOf(
    node: XmlNode,
    definitions: ReadonlyMap<string, XmlNode>,
    numbers: ReadonlyMap<string, XmlNode>,
  ): { id: string; node: XmlNode | undefined } {
    const id = attr(childOf(node, "abstractNumId"), "val") ?? "";
    const found = definitions.get(id);
    const link = attr(childOf(found, "numStyleLink"), "val");
    if (link === undefined) return { id, node: found };
    const list = this.#styles.find(link, ({ numId }) => numId)?.value ?? "";
    const linked = attr(childOf(numbers.get(list), "abstractNumId"), "val") ?? "";
    return definitions.has(linked) ? { id: linked, node: definitions.get(linked) } : { id, node: found };
  }
}

function levelsOf(definition: XmlNode | undefined): Map<number, Level> {
  const levels = new Map<number, Level>();
  for (const node of childrenOf(definition, "lvl"))
    levels.set(numberOf(attr(node, "ilvl")) ?? 0, levelOf(node));
  return levels;
}

function levelOf(node: XmlNode): Level {
  const value = (name: string) => attr(childOf(node, name), "val");
  const choice = childOf(node, "AlternateContent", "Fallback", "numFmt") ?? childOf(node, "numFmt");
  return {
    start: numberOf(value("start")) ?? 0,
    format: attr(choice, "val") ?? "decimal",
    text: value("lvlText") ?? "",
    restart: numberOf(value("lvlRestart")),
    style: value("pStyle"),
    isLegal: toggle(childOf(node, "isLgl")) ?? false,
  };
}
