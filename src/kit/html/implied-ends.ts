import type { ElementKind } from "./element-kinds.ts";
import type { OpenElements } from "./open-elements.ts";

interface Implied {
  /** The elements that the start tag closes, */
  closes: readonly string[];
  /** if they are inside the innermost of these. */
  inside: readonly string[];
}

const cells = ["td", "th"] as const;
const rowGroups = ["tbody", "thead", "tfoot", "caption"] as const;
const item: Implied = { closes: ["li"], inside: ["ul", "ol", "menu"] };
const term: Implied = { closes: ["dt", "dd"], inside: ["dl"] };
const cell: Implied = { closes: cells, inside: ["tr", "table"] };
const row: Implied = { closes: ["tr", ...cells, "caption"], inside: ["table"] };
const rowGroup: Implied = { closes: [...rowGroups, "tr", ...cells], inside: ["table"] };
const reading: Implied = { closes: ["rt", "rp", "rb"], inside: ["ruby"] };

/** The start tags that close other elements, whose end tags authors may leave out. */
const impliedBy: ReadonlyMap<string, Implied> = new Map([
  ["li", item],
  ["dt", term],
  ["dd", term],
  ["td", cell],
  ["th", cell],
  ["tr", row],
  ["tbody", rowGroup],
  ["thead", rowGroup],
  ["tfoot", rowGroup],
  ["table", { closes: ["table"], inside: [...cells, "caption"] }],
  ["option", { closes: ["option"], inside: ["optgroup", "select"] }],
  ["optgroup", { closes: ["optgroup", "option"], inside: ["select"] }],
  ["rt", reading],
  ["rp", reading],
  ["rb", reading],
]);

/** Closes the elements that a start tag ends: a paragraph, the previous item, or a drawing that contains an HTML element. */
export function closeImplied(open: OpenElements, name: string, kind: ElementKind): void {
  if (kind.endsDrawing) {
    const drawing = open.place("svg");
    // Inside these elements, HTML is allowed in a drawing.
    if (drawing > open.place("foreignobject", "desc", "title")) open.closeFrom(drawing);
  }
  if (kind.endsParagraph) {
    const paragraph = open.place("p");
    if (paragraph > Math.max(open.innermostScope, open.place("button"))) open.closeFrom(paragraph);
  }
  const implied = impliedBy.get(name);
  if (implied === undefined) return;
  const within = open.place(...implied.inside);
  const isPart = implied.inside.includes("table");
  const outermost = outermostInside(
    open,
    implied.closes,
    isPart ? within : Math.max(within, open.innermostScope),
  );
  if (outermost !== undefined) open.closeFrom(outermost);
}

function outermostInside(open: OpenElements, names: readonly string[], within: number): number | undefined {
  let outermost: number | undefined;
  for (const name of names) {
    const place = open.place(name);
    if (place > within) outermost = Math.min(outermost ?? place, place);
  }
  return outermost;
}
