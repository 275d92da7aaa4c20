import { posix } from "node:path";
import type { ToleratedArrows } from "./import-table.ts";
import type { SourceFile } from "./source-file.ts";
import type { Fault } from "./usage-rules.ts";

/** Files with everything a service may touch. Only files beside them and `compose` see the whole. */
const wholeService: ReadonlySet<string> = new Set(["deps.ts", "app.ts"]);

interface Place {
  path: string;
  line: number;
}

/** The imports of an area: importing noun → imported noun → where. A loose file of the area stands for itself. */
type Arrows = Map<string, Map<string, Place[]>>;

/**
 * Checks the borders between nouns, which are the folders directly under `src/engine` and `src/services/<service>`. Imports of types count.
 * Refuses circles of nouns, nouns that import their whole service, and rows of `tolerated` that nothing needs any more.
 */
export function* checkNounBorders(
  files: ReadonlyMap<string, SourceFile>,
  tolerated: ToleratedArrows,
): Generator<Fault> {
  for (const [area, arrows] of readAreas(files)) {
    const open = openArrows(tolerated[area] ?? {});
    for (const [noun, targets] of arrows) {
      for (const [target, places] of isNoun(noun) ? targets : []) {
        if (!wholeService.has(target)) continue;
        targets.delete(target);
        if (!open.delete(`${noun} → ${target}`)) yield* places.map((place) => seesWhole(place, noun, target));
      }
    }
    const rows = [...open].map((arrow) => arrow.split(" → ") as [string, string]);
    for (const [noun, target] of rows)
      if (!isInCircle(arrows, noun, target)) yield needless(area, noun, target);
    for (const [noun, target] of rows) arrows.get(noun)?.delete(target);
    for (const circle of circlesIn(arrows)) yield circular(area, circle, arrows);
  }
}

const openArrows = (rows: Readonly<Record<string, readonly string[]>>) =>
  new Set(Object.entries(rows).flatMap(([noun, targets]) => targets.map((target) => `${noun} → ${target}`)));

const isNoun = (name: string) => !name.endsWith(".ts") && !name.endsWith(".tsx");

function readAreas(files: ReadonlyMap<string, SourceFile>): Map<string, Arrows> {
  const areas = new Map<string, Arrows>();
  for (const { path, imports } of files.values()) {
    const [area, noun] = placeOf(path);
    if (area === undefined || noun === undefined) continue;
    for (const { specifier, line } of imports) {
      if (!specifier?.startsWith(".")) continue;
      const [targetArea, target] = placeOf(posix.join(posix.dirname(path), specifier));
      if (targetArea !== area || target === undefined || target === noun) continue;
      const arrows: Arrows = areas.get(area) ?? new Map();
      const targets = arrows.get(noun) ?? new Map<string, Place[]>();
      targets.set(target, [...(targets.get(target) ?? []), { path, line }]);
      areas.set(area, arrows.set(noun, targets));
    }
  }
  return areas;
}

/** The tables of a service: what each noun declares in its `schema.ts`, and the file that lists them. Below every noun. */
const tables = "tables.ts";

/** Returns the area of a path and its noun there, or its name there if it is a loose file. */
function placeOf(path: string): [area: string, noun: string] | [] {
  const parts = path.split("/");
  if (path.startsWith("src/services/") && parts.at(-1) === "schema.ts")
    return [parts.slice(0, 3).join("/"), tables];
  const depth = path.startsWith("src/engine/") ? 2 : path.startsWith("src/services/") ? 3 : undefined;
  const noun = depth === undefined ? undefined : parts[depth];
  return noun === undefined ? [] : [parts.slice(0, depth).join("/"), noun];
}

/** Finds circles until none is left without one of the arrows found; the shortest first. */
function circlesIn(arrows: Arrows): string[][] {
  const targetsOf = new Map([...arrows].map(([noun, targets]) => [noun, new Set(targets.keys())]));
  const circles: string[][] = [];
  for (;;) {
    const found = [...targetsOf.keys()].sort().flatMap((noun) => {
      const circle = shortestCircle(targetsOf, noun);
      return circle === undefined ? [] : [circle];
    });
    const shortest = found.toSorted((a, b) => a.length - b.length)[0];
    if (shortest === undefined) return circles;
    circles.push(shortest);
    // The arrow of the fewest imports is the one that is easiest to turn.
    const [noun, target] = pairsOf(shortest).toSorted(
      ([a, b], [c, d]) => countOf(arrows, a, b) - countOf(arrows, c, d),
    )[0] as [string, string];
    targetsOf.get(noun)?.delete(target);
  }
}

function isInCircle(arrows: Arrows, noun: string, target: string): boolean {
  if (!arrows.get(noun)?.has(target)) return false;
  const reached = new Set([target]);
  for (const from of reached) for (const next of arrows.get(from)?.keys() ?? []) reached.add(next);
  return reached.has(noun);
}

const countOf = (arrows: Arrows, noun: string, target: string) => arrows.get(noun)?.get(target)?.length ?? 0;

function shortestCircle(
  targetsOf: ReadonlyMap<string, ReadonlySet<string>>,
  start: string,
): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let noun = queue.shift(); noun !== undefined; noun = queue.shift()) {
    for (const target of targetsOf.get(noun) ?? []) {
      if (target === start) {
        const circle = [noun];
        for (let at = cameFrom.get(noun); at !== undefined; at = cameFrom.get(at)) circle.unshift(at);
        return circle;
      }
      if (cameFrom.has(target)) continue;
      cameFrom.set(target, noun);
      queue.push(target);
    }
  }
  return undefined;
}

const pairsOf = (circle: readonly string[]): [string, string][] =>
  circle.map((noun, at) => [noun, circle[(at + 1) % circle.length] ?? noun]);

function circular(area: string, circle: readonly string[], arrows: Arrows): Fault {
  const pairs = pairsOf(circle);
  const told = pairs.map(([noun, target]) => {
    const { path, line } = arrows.get(noun)?.get(target)?.[0] ?? { path: area, line: 0 };
    return { path, line, text: `${noun} → ${target} (${path}:${line})` };
  });
  return {
    path: told[0]?.path ?? area,
    line: told[0]?.line ?? 0,
    rule: `the nouns of ${area} form a circle: ${told.map(({ text }) => text).join(", ")}. Put what both need into the lower noun`,
  };
}

const seesWhole = ({ path, line }: Place, noun: string, file: string): Fault => ({
  path,
  line,
  rule: `${noun} imports ${file}, which lists the whole service: declare what ${noun} needs in an interface of its own`,
});

const needless = (area: string, noun: string, target: string): Fault => ({
  path: "scripts/imports/import-table.ts",
  line: 1,
  rule: `${noun} → ${target} of ${area} is tolerated, but no circle needs it: remove the row`,
});
