import { type ElementKind, isKnownElement, kindOf } from "./element-kinds.ts";

/** Whether an element is to be seen, hides what stands in it, or stands in one that does. */
export type Visibility = "shown" | "hiding" | "unseen";

interface Name {
  name: string;
  kind: ElementKind;
  /** Where the innermost open element of this name stands; -1: there is none. */
  latest: number;
}

/** Names that pages make up are told apart up to this many; the others change nothing. */
const namesMax = 1000;

/**
 * The elements that are open at a place of a page, outermost first. Whatever is asked is answered without a search, and
 * what is closed was opened: a page of any depth takes time in proportion to its length.
 */
export class OpenElements {
  readonly #names = new Map<string, Name>();
  readonly #entries: (Name | undefined)[] = [];
  /** For each entry the place of the one of its name before it. */
  readonly #before: number[] = [];
  readonly #visible: Visibility[] = [];
  readonly #barriers: number[] = [];
  readonly #scopes: number[] = [];
  readonly #closed: (name: string, kind: ElementKind) => void;
  #hiding = 0;

  /** `closed` is told of each element that was shown and ends, innermost first, however it ends. */
  constructor(closed: (name: string, kind: ElementKind) => void) {
    this.#closed = closed;
  }

  /** Whether what stands here is hidden. */
  get areHidden(): boolean {
    return this.#hiding > 0;
  }

  /** The place of the innermost open element of these names, or -1. */
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

  /** Closes the element at this place and all inside it. */
  closeFrom(place: number): void {
    while (this.#entries.length > place) this.#closeInnermost();
  }

  /** Takes one element out from around what it contains. */
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
