import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { changedTests, startsProgram, usesChroma } from "../../scripts/testing/changed-tests.ts";
import { importReach } from "../../scripts/testing/import-reach.ts";
import { findTestFiles, tierOf } from "../../scripts/testing/tiers.ts";
import { writeTree } from "./source-tree.ts";

const root = writeTree({
  "src/kit/a.ts": "export const a = 1;",
  "src/engine/b.ts": 'import { a } from "../kit/a.ts"; export const b = a;',
  "src/engine/types.ts": "export type T = 1;",
  "agents/hello.yaml": "",
  "migrations/one.sql": "",
  "tests/support/executable.ts": 'import "../../src/engine/b.ts"; export const executable = "";',
  "tests/support/starts.ts": 'import { executable } from "./executable.ts"; export { executable };',
  "tests/kit/a.test.ts": 'import { a } from "../../src/kit/a.ts"; a;',
  "tests/engine/b.test.ts": 'import { b } from "../../src/engine/b.ts"; b;',
  "tests/engine/types.test.ts": 'import type { T } from "../../src/engine/types.ts"; const t: T = 1; t;',
  "tests/engine/lazy.test.ts": 'const { b } = await import("../../src/engine/b.ts"); b;',
  "tests/engine/starts.test.ts": 'import { executable } from "../support/starts.ts"; executable;',
  "tests/agents/samples.test.ts": 'import { join } from "node:path"; join(import.meta.dir, "../../agents");',
  "tests/engine/child.test.ts": 'import { join } from "node:path"; join(import.meta.dir, "child.ts");',
  "tests/engine/child.ts": 'import "../../src/kit/a.ts";',
  "tests/engine/root.test.ts":
    'import { join } from "node:path"; join(import.meta.dir, "../.."); join(import.meta.dir, "../../src");',
  "tests/e2e/b.test.ts": 'import { b } from "../../src/engine/b.ts"; b;',
});
const files = findTestFiles(root);

test.each([
  [
    "a module: who imports it, at any depth",
    ["src/kit/a.ts"],
    [
      "tests/engine/b.test.ts",
      "tests/engine/child.test.ts",
      "tests/engine/lazy.test.ts",
      "tests/kit/a.test.ts",
    ],
  ],
  ["a module of types alone: nobody, since the compiler erases it", ["src/engine/types.ts"], []],
  ["a file of a folder that a test reads", ["agents/hello.yaml"], ["tests/agents/samples.test.ts"]],
  ["a file that nobody names", ["migrations/one.sql"], []],
  [
    "a test file, of any tier",
    ["tests/e2e/b.test.ts", "tests/kit/a.test.ts"],
    ["tests/e2e/b.test.ts", "tests/kit/a.test.ts"],
  ],
  [
    "what starts programs: who imports it, but not for what the programs are made of",
    ["tests/support/executable.ts"],
    ["tests/engine/starts.test.ts"],
  ],
  [
    "the packages: the whole first tier",
    ["package-lock.json"],
    files.filter((file) => tierOf(file) === "first"),
  ],
])("after a change of %s", (_what, changed, expected) => {
  expect(changedTests(files, changed, importReach(root))).toEqual(expected);
});

test("a test starts the program if it imports what starts it, at any depth", () => {
  const reach = importReach(root);
  expect(files.filter((file) => startsProgram(file, reach))).toEqual(["tests/engine/starts.test.ts"]);
});

test("no file of the first tier starts the program, a server or a browser, and every smoke test starts it", () => {
  const repository = join(import.meta.dir, "../..");
  const reach = importReach(repository);
  const all = findTestFiles(repository);
  const first = all.filter((file) => tierOf(file) === "first");
  expect(first.filter((file) => startsProgram(file, reach))).toEqual([]);
  const opensBrowser = (file: string) =>
    reach.from(file, (one) => one.startsWith("tests/")).has("tests/support/browser.ts");
  expect(first.filter(opensBrowser)).toEqual([]);
  // Suites over several engines ask for a shared server, and only where the run has servers.
  const ownsServer = (file: string) =>
    /\b(ownPostgresServer|redisServer|startChromaServer)\(/.test(
      readFileSync(join(repository, file), "utf8"),
    );
  expect(first.filter(ownsServer)).toEqual([]);
  const smoke = all.filter((file) => tierOf(file) === "smoke");
  expect(smoke.length).toBeGreaterThan(5);
  expect(smoke.filter((file) => !startsProgram(file, reach))).toEqual([]);
});

test("of this repository, only the suites of vector stores need a Chroma server", () => {
  const repository = join(import.meta.dir, "../..");
  const reach = importReach(repository);
  const using = findTestFiles(repository).filter((file) => usesChroma(file, reach));
  expect(using).toContain("tests/conformance/vector-stores/matching.test.ts");
  expect(using.filter((file) => !/vector|retrieval|rag/.test(file))).toEqual([]);
  expect(using.some((file) => file.startsWith("tests/kit/"))).toBe(false);
});
