import { type Document, isMap, isPair, isScalar, isSeq, type Pair, Scalar, type YAMLMap } from "yaml";
import { dotted, type Path, type Segment } from "../fault.ts";

/** One rewritten or omitted part, at its path in the original file. */
export interface Rewriting {
  path: string;
  message: string;
}

/** A YAML document that is rewritten in place, comments kept, with notes of the changes. */
export class ForeignDocument {
  readonly changes: Rewriting[] = [];
  readonly leftOut: Rewriting[] = [];
  readonly #document: Document;
  /** The changes that were moves, by the present path of the value. */
  readonly #moved = new Map<string, Rewriting>();

  constructor(document: Document) {
    this.#document = document;
  }

  /** Returns the plain value at a path, or undefined if there is none. */
  value(path: Path): unknown {
    const node = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    if (isMap(node) || isSeq(node)) return node.toJS(this.#document);
    return isScalar(node) ? node.value : undefined;
  }

  has(path: Path): boolean {
    return this.#document.hasIn(path);
  }

  /** Returns the keys of a mapping in order; none if there is no mapping. */
  keys(path: Path): string[] {
    const map = this.#map(path);
    return map === undefined ? [] : map.items.map(({ key }) => String(isScalar(key) ? key.value : key));
  }

  /** Returns the number of entries of a list; 0 if there is no list. */
  entries(path: Path): number {
    const node = this.#document.getIn(path, true);
    return isSeq(node) ? node.items.length : 0;
  }

  /** Moves a value with its comments. If the target exists, the value is left out. */
  move(from: Path, to: Path): boolean {
    if (!this.has(from)) return false;
    if (this.has(to)) {
      this.leaveOut(from, `\`${dotted(to)}\` is given as well`);
      return false;
    }
    const pair = this.#take(from);
    const parent = this.#parentOf(to);
    if (pair === undefined || parent === undefined) return false;
    const key = to.at(-1);
    if (isScalar(pair.key)) pair.key.value = key;
    else pair.key = new Scalar(key);
    parent.items.push(pair);
    // A key that moves twice is reported once, from its original path.
    const before = this.#moved.get(dotted(from));
    this.#moved.delete(dotted(from));
    const change = before ?? { path: dotted(from), message: "" };
    change.message = `is now \`${dotted(to)}\``;
    this.#moved.set(dotted(to), change);
    if (before === undefined) this.changes.push(change);
    return true;
  }

  /** Replaces a value and keeps the comment of its line. */
  replace(path: Path, value: unknown, why?: string): void {
    const before = this.#document.getIn(path, true);
    const node = this.#document.createNode(value);
    if (isScalar(before) && before.comment && isScalar(node)) node.comment = before.comment;
    this.#document.setIn(path, node);
    this.changes.push({ path: dotted(path), message: why ?? `is now ${JSON.stringify(value)}` });
  }

  /** Adds a value that Argosy needs and the file lacks. */
  add(path: Path, value: unknown): void {
    const parent = this.#parentOf(path);
    if (parent === undefined || this.has(path)) return;
    const pair = this.#document.createPair(path.at(-1), value);
    if (path.length === 1) parent.items.unshift(pair as Pair);
    else parent.items.push(pair as Pair);
    this.changes.push({ path: dotted(path), message: `was added: ${JSON.stringify(value)}` });
  }

  /** Removes a part for which Argosy has no equivalent. */
  leaveOut(path: Path, why: string): void {
    if (!this.has(path)) return;
    this.#document.deleteIn(path);
    this.leftOut.push({ path: dotted(path), message: why });
  }

  /** Removes a part that another key replaces. */
  discard(path: Path): void {
    if (this.has(path)) this.#document.deleteIn(path);
  }

  /** Removes a mapping that has become empty. */
  prune(path: Path): void {
    const map = this.#map(path);
    if (map !== undefined && map.items.length === 0) this.#document.deleteIn(path);
  }

  toString(): string {
    return this.#document.toString({ lineWidth: 0, flowCollectionPadding: false });
  }

  #map(path: Path): YAMLMap<unknown, unknown> | undefined {
    const node = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    return isMap(node) ? node : undefined;
  }

  #take(path: Path): Pair | undefined {
    const map = this.#map(path.slice(0, -1));
    const at = map?.items.findIndex(({ key }) => (isScalar(key) ? key.value : key) === path.at(-1)) ?? -1;
    const [pair] = at < 0 ? [] : (map?.items.splice(at, 1) ?? []);
    return isPair(pair) ? pair : undefined;
  }

  /** Returns the mapping for a path's last key; creates the mappings on the way. */
  #parentOf(path: Path): YAMLMap<unknown, unknown> | undefined {
    const way: Segment[] = [];
    for (const segment of path.slice(0, -1)) {
      way.push(segment);
      if (!this.has(way)) this.#document.setIn(way, this.#document.createNode({}));
    }
    return this.#map(way);
  }
}
