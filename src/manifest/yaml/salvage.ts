import type { Fault, Path, Segment } from "../fault.ts";

/** A document without its faulty parts, so that the checks after the schema can run on the rest. */
export interface Salvaged {
  value: unknown;
  /** Returns the path in the original document for a path in the salvaged one; undefined if it only follows from a part left out. */
  originalOf(path: Path): Path | undefined;
}

/** Limit for the rounds, more than the levels: each round removes one more level of parents that require a removed part. */
const roundsMax = 80;

/**
 * Removes everything that `faultsOf` reports from `document`: a wrong value with its key; for a missing required part, the mapping that
 * requires it. `standIns` replace missing required keys of the root. Returns undefined if nothing sound remains.
 */
export function salvage(
  document: Readonly<Record<string, unknown>>,
  faultsOf: (value: unknown) => readonly Fault[],
  standIns: Readonly<Record<string, unknown>> = {},
): Salvaged | undefined {
  const value: Record<string, unknown> = structuredClone(document);
  const positions = new Map<readonly unknown[], number[]>();
  const leftOut: Path[] = [];
  for (let round = 0; round < roundsMax; round++) {
    const faults = faultsOf(value);
    if (faults.length === 0)
      return { value, originalOf: (path) => originalOf(value, positions, leftOut, path) };
    const missing = faults.flatMap(({ path: [key = ""] }) =>
      Object.hasOwn(value, key) || !Object.hasOwn(standIns, key) ? [] : [String(key)],
    );
    for (const key of missing) {
      value[key] = structuredClone(standIns[key]);
      leftOut.push([key]);
    }
    if (missing.length > 0) continue;
    const paths = faults.map(({ path }) => presentPart(value, path));
    // From the end, so that earlier entries of lists keep their indices.
    for (const path of [...new Map(paths.map((each) => [JSON.stringify(each), each])).values()].sort(
      laterFirst,
    )) {
      if (path.length === 0) return undefined;
      leftOut.push(wholePath(value, positions, path));
      remove(value, positions, path);
    }
  }
  return undefined;
}

/** Returns the path itself if it exists, otherwise that of its deepest existing parent. */
function presentPart(value: unknown, path: Path): Path {
  let node = value;
  for (const [index, segment] of path.entries()) {
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, segment))
      return path.slice(0, index);
    node = (node as Record<Segment, unknown>)[segment];
  }
  return path;
}

function laterFirst(one: Path, other: Path): number {
  for (const [index, segment] of one.entries()) {
    const beside = other[index];
    if (segment === beside) continue;
    if (beside === undefined) return -1;
    if (typeof segment === "number" && typeof beside === "number") return beside - segment;
    return String(segment) < String(beside) ? 1 : -1;
  }
  return one.length < other.length ? 1 : 0;
}

function remove(value: unknown, positions: Map<readonly unknown[], number[]>, path: Path): void {
  const last = path.at(-1);
  let node = value as Record<Segment, unknown> | undefined;
  for (const segment of path.slice(0, -1)) node = node?.[segment] as Record<Segment, unknown> | undefined;
  if (node === undefined || last === undefined) return;
  if (Array.isArray(node) && typeof last === "number") {
    positionsOf(positions, node).splice(last, 1);
    node.splice(last, 1);
  } else delete node[last];
}

function positionsOf(positions: Map<readonly unknown[], number[]>, list: readonly unknown[]): number[] {
  const known = positions.get(list) ?? list.map((_, index) => index);
  positions.set(list, known);
  return known;
}

function wholePath(value: unknown, positions: Map<readonly unknown[], number[]>, path: Path): Path {
  let node = value;
  return path.map((segment) => {
    const list = Array.isArray(node) ? node : undefined;
    const place =
      list !== undefined && typeof segment === "number"
        ? (positions.get(list)?.[segment] ?? segment)
        : segment;
    node =
      typeof node === "object" && node !== null ? (node as Record<Segment, unknown>)[segment] : undefined;
    return place;
  });
}

/** Lists whose entries are named elsewhere in the document, and the parts that name them. */
const namedBy: readonly (readonly [list: Path, user: Path])[] = [
  [
    ["spec", "tools"],
    ["spec", "orchestration"],
  ],
  [
    ["spec", "orchestration"],
    ["spec", "model", "roles"],
  ],
  [
    ["spec", "permissions"],
    ["spec", "tools"],
  ],
];

function originalOf(
  value: unknown,
  positions: Map<readonly unknown[], number[]>,
  leftOut: readonly Path[],
  path: Path,
): Path | undefined {
  const whole = wholePath(value, positions, path);
  const follows = leftOut.some(
    (gone) =>
      startsWith(gone, whole) ||
      startsWith(whole, gone) ||
      namedBy.some(([list, user]) => startsWith(gone, list) && startsWith(whole, user)),
  );
  return follows ? undefined : whole;
}

const startsWith = (path: Path, start: Path): boolean =>
  start.every((segment, index) => path[index] === segment);
