import { type ElementKind, isKnownElement, kindOf } from "./element-kinds.ts";

/** `shown`; `hiding`: the element hides its content; `unseen`: an element around it is hidden. */
export type Visibility = "shown" | "hiding" | "unseen";

interface Name {
  name: string;
  kind: ElementKind;
  /** Index of the innermost open element with this name, or -1. */
  latest: number;
}

/** Limit for the distinct names that pages make up; further names are ignored. */
const namesMax = 1000;

/**
 * The elements that are open at a point of a page, outermost first. Lookups need no search, and each element is closed once, so the total
 * time is proportional to the page's length, however deep it nests.
 */
export class OpenElements {
  readonly #names = new Map<string, Name>();
  readonly #entries: (Name | undefined)[] = [];
  /** For each entry, the index of the previous entry with its name. */
  readonly #before: number[] = [];
  readonly #visible: Visibility[] = [];
  readonly #barriers: number[] = [];
  readonly #scopes: number[] = [];
  readonly #closed: (name: string, kind: ElementKind) => void;
  #hiding = 0;

  /** `closed` is called for each shown element that ends, innermost first, for whatever reason it ends. */
  constructor(closed: (name: string, kind: ElementKind) => void) {
    this.#closed = closed;
  }

  /** True if the current position is hidden. */
  get areHidden(): boolean {
    return this.#hiding > 0;
  }

  /** Returns the index of the innermost open element with one of these names, or -1. */
  place(...names: readonly string[]): number {
    let latest = -1;
    for (const name of names) latest = Math.max(latest, this.#names.get(name)?.latest ?? -1);
    return latest;
  }

  get innermostBarrier(): number {
    return this.#barriers.at(-1) ?? -1;
  }

  get innermostScope(): number {
    return this.#scopes.at(-1) ?? -1;
  }

  open(name: string, kind: ElementKind, visibility: Visibility): void {
    const known = this.#names.get(name) ?? this.#addName(name);
    if (known === undefined) return;
    const place = this.#entries.length;
    this.#entries.push(known);
    this.#before.push(known.latest);
    this.#visible.push(visibility);
    known.latest = place;
    if (kind.isBarrier) this.#barriers.push(place);
    if (kind.isScope) this.#scopes.push(place);
    if (visibility === "hiding") this.#hiding++;
  }

  /** Closes the element at this index and all inside it. */
  closeFrom(place: number): void {
    while (this.#entries.length > place) this.#closeInnermost();
  }

  /** Closes one element but leaves those inside it open. */
  unwrap(place: number): void {
    const name = this.#entries[place];
    if (name === undefined || name.latest !== place) return;
    name.latest = this.#before[place] ?? -1;
    this.#entries[place] = undefined;
    if (this.#visible[place] === "hiding") this.#hiding--;
    this.#visible[place] = "unseen";
  }

  #closeInnermost(): void {
    const place = this.#entries.length - 1;
    const name = this.#entries.pop();
    const before = this.#before.pop() ?? -1;
    const visibility = this.#visible.pop();
    if (visibility === "hiding") this.#hiding--;
    if (this.#barriers.at(-1) === place) this.#barriers.pop();
    if (this.#scopes.at(-1) === place) this.#scopes.pop();
    if (name === undefined) return;
    name.latest = before;
    if (visibility === "shown") this.#closed(name.name, name.kind);
  }

  #addName(name: string): Name | undefined {
    if (name === "" || (this.#names.size >= namesMax && !isKnownElement(name))) return undefined;
    const added = { name, kind: kindOf(name), latest: -1 };
    this.#names.set(name, added);
    return added;
  }
}

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
