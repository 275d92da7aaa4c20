import type { ElementText } from "./html-scanner.ts";

/** Properties of an element that matter for the page's text. */
export interface ElementKind {
  /** In the line, on lines of its own, or surrounded by empty lines. */
  layout: "inline" | "block" | "paragraph";
  /** True if it has no end tag. */
  isVoid?: boolean;
  /** True if its content is not shown. */
  isHidden?: boolean;
  /** Set if its content is not markup. */
  text?: ElementText;
  /** True if an inline element's end tag inside it does not close elements outside it. */
  isBarrier?: boolean;
  /** True if only a table's end tags close elements outside it. */
  isScope?: boolean;
  /** True if its start tag closes an open paragraph. */
  endsParagraph?: boolean;
  /** True if its end tag may come before the end tags of elements inside it, which then stay open. */
  isFormatting?: boolean;
  /** True if its start tag ends an enclosing drawing. */
  endsDrawing?: boolean;
  /** True if its spaces and line breaks are kept. */
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

/** Element kinds by name. `html`, `head` and `body` are left out: their tags change nothing here, wherever they are. */
const kinds: ReadonlyMap<string, ElementKind> = new Map(
  names.flatMap(([list, kind]) => list.split(" ").map((name) => [name, kind] as const)),
);

/** Returns the kind of an element; unknown elements are inline. */
export function kindOf(name: string): ElementKind {
  return kinds.get(name) ?? inline;
}

export function isKnownElement(name: string): boolean {
  return kinds.has(name);
}
