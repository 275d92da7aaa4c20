import { type Document, isMap, isPair, isScalar, isSeq, type Pair, Scalar, type YAMLMap } from "yaml";
import { dotted, type Path, type Segment } from "../fault.ts";

/** One thing that was rewritten or left out, at its place in the file as it was. */
export interface Rewriting {
  path: string;
  message: string;
}

/** A YAML document that is rewritten in place, comments kept, with notes of what was done. */
export class ForeignDocument {
  readonly changes: Rewriting[] = [];
  readonly leftOut: Rewriting[] = [];
  readonly #document: Document;
  /** The changes that were moves, by where the value stands now. */
  readonly #moved = new Map<string, Rewriting>();

  constructor(document: Document) {
    this.#document = document;
  }

  /** The plain value at a path; undefined where nothing stands. */
  value(path: Path): unknown {
    const node = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    if (isMap(node) || isSeq(node)) return node.toJS(this.#document);
    return isScalar(node) ? node.value : undefined;
  }

  has(path: Path): boolean {
    return this.#document.hasIn(path);
  }

  /** The keys of a mapping, in order; none where no mapping stands. */
  keys(path: Path): string[] {
    const map = this.#map(path);
    return map === undefined ? [] : map.items.map(({ key }) => String(isScalar(key) ? key.value : key));
  }

  /** How many entries a list has; 0 where no list stands. */
  entries(path: Path): number {
    const node = this.#document.getIn(path, true);
    return isSeq(node) ? node.items.length : 0;
  }

  /** Moves a value with its comments; where the target is taken, the value is left out. */
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
    // A key that moves twice is told once, from where it stood.
    const before = this.#moved.get(dotted(from));
    this.#moved.delete(dotted(from));
    const change = before ?? { path: dotted(from), message: "" };
    change.message = `is now \`${dotted(to)}\``;
    this.#moved.set(dotted(to), change);
    if (before === undefined) this.changes.push(change);
    return true;
  }

  /** Puts another value in the place of one, beside the comments of its line. */
  replace(path: Path, value: unknown, why?: string): void {
    const before = this.#document.getIn(path, true);
    const node = this.#document.createNode(value);
    if (isScalar(before) && before.comment && isScalar(node)) node.comment = before.comment;
    this.#document.setIn(path, node);
    this.changes.push({ path: dotted(path), message: why ?? `is now ${JSON.stringify(value)}` });
  }

  /** Adds what Argosy needs and the file has not. */
  add(path: Path, value: unknown): void {
    const parent = this.#parentOf(path);
    if (parent === undefined || this.has(path)) return;
    const pair = this.#document.createPair(path.at(-1), value);
    if (path.length === 1) parent.items.unshift(pair as Pair);
    else parent.items.push(pair as Pair);
    this.changes.push({ path: dotted(path), message: `was added: ${JSON.stringify(value)}` });
  }

  /** Removes what Argosy has no place for. */
  leaveOut(path: Path, why: string): void {
    if (!this.has(path)) return;
    this.#document.deleteIn(path);
    this.leftOut.push({ path: dotted(path), message: why });
  }

  /** Removes what another key says now. */
  discard(path: Path): void {
    if (this.has(path)) this.#document.deleteIn(path);
  }

  /** Removes a mapping that lost all it had. */
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

  /** The mapping that has a path's last key; mappings on the way are made. */
  #parentOf(path: Path): YAMLMap<unknown, unknown> | undefined {
    const way: Segment[] = [];
    for (const segment of path.slice(0, -1)) {
      way.push(segment);
      if (!this.has(way)) this.#document.setIn(way, this.#document.createNode({}));
    }
    return this.#map(way);
  }
}
