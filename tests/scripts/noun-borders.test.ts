import { describe, expect, test } from "bun:test";
import { checkTree } from "../../scripts/imports/check-tree.ts";
import type { ToleratedArrows } from "../../scripts/imports/import-table.ts";
import { writeTree } from "./source-tree.ts";

/** Returns the faults of a tree as `file:line rule`. */
const faultsOf = (files: Record<string, string>, tolerated?: ToleratedArrows) =>
  checkTree(writeTree(files), tolerated).faults.map(({ path, line, rule }) => `${path}:${line} ${rule}`);

const daemon = "src/services/daemon";
const remedy = "Put what both need into the lower noun";

describe("circles of nouns", () => {
  test.each([
    ["src/engine", 'import { b } from "../tools/b.ts";', 'import { a } from "../run/a.ts";'],
    [daemon, 'import type { B } from "../tools/b.ts";', 'import type { A } from "../run/a.ts";'],
    [daemon, 'export type { B } from "../tools/b.ts";', 'let a: typeof import("../run/a.ts");'],
    [daemon, 'import type { B } from "../tools/b.ts";', 'const a = await import("../run/a.ts");'],
  ])("are refused in %s: %s", (area, there, back) => {
    expect(faultsOf({ [`${area}/run/a.ts`]: there, [`${area}/tools/b.ts`]: back })).toEqual([
      `${area}/run/a.ts:1 the nouns of ${area} form a circle: run → tools (${area}/run/a.ts:1), tools → run (${area}/tools/b.ts:1). ${remedy}`,
    ]);
  });

  test("are refused also through a third noun, a folder inside a noun, or a loose file", () => {
    expect(
      faultsOf({
        [`${daemon}/agents/a.ts`]: '\nimport type { B } from "../memory/sql/b.ts";',
        [`${daemon}/memory/sql/b.ts`]: 'import type { C } from "../../tables.ts";',
        [`${daemon}/tables.ts`]: 'import { d } from "./agents/d.ts";',
        [`${daemon}/agents/d.ts`]: "export const d = 1;",
      }),
    ).toEqual([
      `${daemon}/agents/a.ts:2 the nouns of ${daemon} form a circle: agents → memory (${daemon}/agents/a.ts:2), memory → tables.ts (${daemon}/memory/sql/b.ts:1), tables.ts → agents (${daemon}/tables.ts:1). ${remedy}`,
    ]);
  });

  test("are each reported once", () => {
    const faults = faultsOf({
      "src/engine/run/a.ts": 'import "../tools/b.ts";\nimport "../memory/c.ts";',
      "src/engine/tools/b.ts": 'import "../run/a.ts";',
      "src/engine/memory/c.ts": 'import "../run/a.ts";',
    });
    expect(faults).toHaveLength(2);
    expect(faults[0]).toContain("memory → run");
    expect(faults[1]).toContain("run → tools");
  });

  test("are not made by one way, by files of one noun, or by other areas", () => {
    expect(
      faultsOf({
        [`${daemon}/run/a.ts`]:
          'import "../tools/b.ts";\nimport "./c.ts";\nimport "../../../engine/run/e.ts";',
        [`${daemon}/run/c.ts`]: 'import "./a.ts";\nimport "../memory/d.ts";',
        [`${daemon}/tools/b.ts`]: 'import "../memory/d.ts";',
        [`${daemon}/memory/d.ts`]: "export const d = 1;",
        "src/services/platform/tools/f.ts": 'import "../run/g.ts";',
        "src/services/platform/run/g.ts": "export const g = 1;",
        "src/engine/run/e.ts": "export const e = 1;",
      }),
    ).toEqual([]);
  });
});

describe("the whole service", () => {
  test.each(["deps.ts", "app.ts"])("%s is refused in a noun, also as a type", (whole) => {
    expect(
      faultsOf({
        [`${daemon}/run/routes.ts`]: `import type { X } from "../${whole}";`,
        [`${daemon}/${whole}`]: 'import type { Y } from "./run/routes.ts";',
      }),
    ).toEqual([
      `${daemon}/run/routes.ts:1 run imports ${whole}, which lists the whole service: declare what run needs in an interface of its own`,
    ]);
  });

  test("is open to loose files, and a noun's own deps.ts to the noun", () => {
    expect(
      faultsOf({
        [`${daemon}/app.ts`]: 'import type { X } from "./deps.ts";\nimport "./run/routes.ts";',
        [`${daemon}/deps.ts`]: 'import type { Y } from "./run/routes.ts";',
        [`${daemon}/run/routes.ts`]: 'import type { X } from "./deps.ts";',
        [`${daemon}/run/deps.ts`]: "export type X = string;",
      }),
    ).toEqual([]);
  });
});

describe("tolerated arrows", () => {
  const files = {
    "src/engine/run/a.ts": 'import "../tools/b.ts";',
    "src/engine/tools/b.ts": 'import "../run/a.ts";',
    [`${daemon}/run/routes.ts`]: 'import type { X } from "../deps.ts";',
    [`${daemon}/deps.ts`]: "export type X = string;",
  };

  test("allow a circle or an import of the whole service", () => {
    expect(faultsOf(files, { "src/engine": { tools: ["run"] }, [daemon]: { run: ["deps.ts"] } })).toEqual([]);
  });

  test("count in their own area and direction alone", () => {
    expect(
      faultsOf(files, { "src/engine": { run: ["deps.ts"] }, [daemon]: { tools: ["run"] } }),
    ).toHaveLength(4);
  });

  test("are refused when no circle needs them", () => {
    const oneWay = { "src/engine/run/a.ts": 'import "../tools/b.ts";', "src/engine/tools/b.ts": "" };
    const rule = "is tolerated, but no circle needs it: remove the row";
    expect(faultsOf(oneWay, { "src/engine": { run: ["tools"], tools: ["run"] } })).toEqual([
      `scripts/imports/import-table.ts:1 run → tools of src/engine ${rule}`,
      `scripts/imports/import-table.ts:1 tools → run of src/engine ${rule}`,
    ]);
  });
});
