import type { ElementText } from "./html-scanner.ts";

/** What an element is to a reader of the page's text. */
export interface ElementKind {
  /** How it stands: in the line, on lines of its own, or with empty lines around. */
  layout: "inline" | "block" | "paragraph";
  /** It has no end tag. */
  isVoid?: boolean;
  /** What stands in it is not shown. */
  isHidden?: boolean;
  /** What stands in it is no markup. */
  text?: ElementText;
  /** An end tag of an element in the line does not reach through it. */
  isBarrier?: boolean;
  /** No end tag reaches through it, but for those of a table. */
  isScope?: boolean;
  /** Its start tag ends an open paragraph. */
  endsParagraph?: boolean;
  /** Its end tag may stand inside of what it contains: the rest of that goes on without it. */
  isFormatting?: boolean;
  /** In a drawing its start tag ends the drawing. */
  endsDrawing?: boolean;
  /** Its spaces and lines stand as they are. */
  isVerbatim?: boolean;
  list?: "plain" | "numbered";
}

const inline: ElementKind = { layout: "inline" };
const block: ElementKind = { layout: "block", isBarrier: true, endsParagraph: true, endsDrawing: true };
const paragraph: ElementKind = { ...block, layout: "paragraph" };
const hidden: ElementKind = { layout: "inline", isHidden: true };
const empty: ElementKind = { layout: "inline", isVoid: true };
const formatting: ElementKind = { layout: "inline", isFormatting: true };
const inHtmlAlone: ElementKind = { ...formatting, endsDrawing: true };
const cell: ElementKind = { layout: "inline", isBarrier: true, isScope: true };
const tablePart: ElementKind = { layout: "block", isBarrier: true };

const names: readonly (readonly [string, ElementKind])[] = [
  [
    "address article aside center details dialog div fieldset figcaption figure footer form header hgroup",
    block,
  ],
  ["main nav search section summary dd dt li", block],
  ["menu ul", { ...block, list: "plain" }],
  ["ol", { ...block, list: "numbered" }],
  ["blockquote dl h1 h2 h3 h4 h5 h6 p", paragraph],
  ["pre listing", { ...paragraph, isVerbatim: true }],
  ["xmp", { ...paragraph, isVerbatim: true, text: "raw" }],
  ["plaintext", { ...paragraph, isVerbatim: true, text: "rest" }],
  ["table", { ...paragraph, isScope: true }],
  ["caption", { ...tablePart, isScope: true }],
  ["tbody tfoot thead tr", tablePart],
  ["td th", cell],
  ["optgroup option legend", { layout: "block" }],
  ["br", { ...empty, endsDrawing: true }],
  ["hr", { ...paragraph, isVoid: true }],
  ["img embed meta", { ...empty, endsDrawing: true }],
  ["area base col frame input link param source track wbr", empty],
  ["a font", formatting],
  ["b big code em i nobr s small strike strong tt u", inHtmlAlone],
  ["span sub sup var ruby", { layout: "inline", endsDrawing: true }],
  ["button marquee applet select", { layout: "inline", isBarrier: true }],
  ["textarea", { layout: "block", isVerbatim: true, text: "references" }],
  ["title", { ...hidden, text: "references" }],
  ["script style noscript iframe noembed noframes", { ...hidden, text: "raw" }],
  ["template object", { ...hidden, isBarrier: true, isScope: true }],
  ["svg audio canvas video datalist rp annotation annotation-xml", hidden],
];

/** `html`, `head` and `body` are left out: their tags change nothing here, wherever they stand. */
const kinds: ReadonlyMap<string, ElementKind> = new Map(
  names.flatMap(([list, kind]) => list.split(" ").map((name) => [name, kind] as const)),
);

/** The kind of an element; one that nobody knows stands in the line. */
export function kindOf(name: string): ElementKind {
  return kinds.get(name) ?? inline;
}

export function isKnownElement(name: string): boolean {
  return kinds.has(name);
}
