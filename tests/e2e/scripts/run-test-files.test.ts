import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseJunit } from "../../../scripts/testing/junit.ts";
import { runTestFiles } from "../../../scripts/testing/run-test-files.ts";
import { expectedMs, slowFiles } from "../../../scripts/testing/slow-files.ts";
import { slowest } from "../../../scripts/testing/slowest.ts";
import { writeTree } from "../../scripts/source-tree.ts";

const head = 'import { describe, expect, test } from "bun:test";\n';

test("every way of a file to go wrong is a failure of that file alone", async () => {
  const root = writeTree({
    "a-good.test.ts": `${head}describe("group", () => { test("a < b", () => {}); test.skip("later", () => {}); });`,
    "b-fails.test.ts": `${head}test("wrong", () => expect(1).toBe(2)); test("right", () => {});`,
    "c-does-not-load.test.ts": 'import "./nowhere.ts";',
    "d-ends-the-process.test.ts": `${head}test("exits", () => process.exit(0));`,
    "e-crashes.test.ts": `${head}test("crashes", () => process.kill(process.pid, "SIGSEGV"));`,
    "f-has-no-test.test.ts": "export const a = 1;",
    "g-good.test.ts": `${head}test("still runs", () => {});`,
  });
  const files = [...new Bun.Glob("*.test.ts").scanSync({ cwd: root })].sort();
  const cases = await runTestFiles({ root, files, output: "ignore", limitMs: 60_000 });
  // The file that ran next to the crash is random; the crash is not.
  const crashes = cases.filter(({ name }) => name === "(a test process crashed)");
  expect(crashes.map(({ outcome }) => outcome)).toEqual(["failed"]);
  const told = cases
    .filter((one) => !crashes.includes(one))
    .map(({ file, name, outcome }) => `${outcome}: ${file} ${name}`);
  expect(told.sort()).toEqual([
    "failed: b-fails.test.ts wrong",
    "failed: c-does-not-load.test.ts (crashed, did not load, or has no test)",
    "failed: d-ends-the-process.test.ts (crashed, did not load, or has no test)",
    "failed: e-crashes.test.ts (crashed, did not load, or has no test)",
    "failed: f-has-no-test.test.ts (crashed, did not load, or has no test)",
    "passed: a-good.test.ts group > a < b",
    "passed: b-fails.test.ts right",
    "passed: g-good.test.ts still runs",
    "skipped: a-good.test.ts group > later",
  ]);
});

test("files share a global, except those that change what is shared", async () => {
  const counts = `const at = Symbol.for("files so far"); const files = (globalThis[at] = (globalThis[at] ?? 0) + 1);\n`;
  const seen = `test(\`is file \${files} of its global\`, () => {});`;
  const root = writeTree({
    "a.test.ts": `${head}${counts}${seen}`,
    "b.test.ts": `${head}${counts}${seen}`,
    "changes-the-environment.test.ts": `${head}${counts}process.env.LEFT_BEHIND = "1";${seen}`,
    "reads-the-environment.test.ts": `${head}${counts}if (process.env.LEFT_BEHIND) throw new Error();${seen}`,
  });
  const files = [...new Bun.Glob("*.test.ts").scanSync({ cwd: root })].sort();
  const cases = await runTestFiles({
    root,
    files,
    args: ["--parallel=1"],
    output: "ignore",
    limitMs: 60_000,
  });
  expect(cases.map(({ file, name, outcome }) => `${outcome}: ${file} ${name}`).sort()).toEqual([
    "passed: a.test.ts is file 1 of its global",
    "passed: b.test.ts is file 2 of its global",
    "passed: changes-the-environment.test.ts is file 1 of its global",
    "passed: reads-the-environment.test.ts is file 1 of its global",
  ]);
});

test("what still runs at the limit has failed", async () => {
  const root = writeTree({ "spins.test.ts": `${head}test("spins", () => { for (;;); });` });
  const cases = await runTestFiles({ root, files: ["spins.test.ts"], output: "ignore", limitMs: 500 });
  expect(cases).toEqual([
    { file: "spins.test.ts", name: "(crashed, did not load, or has no test)", outcome: "failed", seconds: 0 },
  ]);
});

test("slow files start first, and each of them exists", () => {
  const root = join(import.meta.dir, "../../..");
  expect(slowFiles.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const files = ["tests/kit/retry.test.ts", ...slowFiles.toReversed(), "tests/scripts/check-imports.test.ts"];
  const expected = expectedMs(root, files);
  expect(Object.keys(expected)).toHaveLength(files.length);
  const order = files.toSorted((a, b) => (expected[b] ?? 0) - (expected[a] ?? 0));
  expect(order.slice(0, slowFiles.length)).toEqual([...slowFiles]);
  // Bun sorts only when it knows a time for every file.
  for (const file of files) expect(expected[file]).toBeGreaterThan(0);
});

test("the slowest tests and files come first, and what took no time not at all", () => {
  const of = (file: string, name: string, seconds: number) => ({
    file,
    name,
    seconds,
    outcome: "passed" as const,
  });
  const cases = [
    of("a.test.ts", "short", 1),
    of("a.test.ts", "long\n  name", 2.5),
    of("b.test.ts", "middle", 3),
  ];
  expect(slowest([...cases, of("c.test.ts", "none", 0)], 2)).toEqual([
    "slowest test:    3.0 s  b.test.ts middle",
    "slowest test:    2.5 s  a.test.ts long name",
    "slowest file:    3.5 s  a.test.ts",
    "slowest file:    3.0 s  b.test.ts",
  ]);
});

test("names come back as they were written", () => {
  expect(
    parseJunit(
      `<testcase name="a &amp; &quot;b&quot; &lt;c&gt;&#10;" classname="" time="1.25" file="x.test.ts" line="1" />
       <testcase name="d" classname="g" time="0" file="x.test.ts"><failure message="&gt;">no</failure></testcase>`,
    ),
  ).toEqual([
    { file: "x.test.ts", name: 'a & "b" <c>\n', outcome: "passed", seconds: 1.25 },
    { file: "x.test.ts", name: "g > d", outcome: "failed", seconds: 0, reason: ">" },
  ]);
});

test("a failed test says in one line what failed, and where", () => {
  const reasonOf = (failure: string) =>
    parseJunit(`<testcase name="t" classname="" time="0" file="x.test.ts">${failure}</testcase>`)[0]?.reason;
  expect(
    reasonOf(
      '<failure type="Error" message="waitFor: Timeout 1ms exceeded.&#10;Call log:&#10;  - waiting for &lt;b&gt;">Error: waitFor: Timeout 1ms exceeded.&#10;      at step (/work/tests/support/page.ts:7:3)&#10;      at &lt;anonymous&gt; (tests/e2e/x.test.ts:157:35)&#10;      at told (/work/tests/support/told.ts:9:3)&#10;</failure>',
    ),
  ).toBe("waitFor: Timeout 1ms exceeded. Call log: - waiting for <b> (tests/e2e/x.test.ts:157)");
  expect(reasonOf('<failure type="TimeoutError" message="test timed out" />')).toBe("test timed out");
  expect(reasonOf(`<failure message="${"x".repeat(1_100)}">x</failure>`)).toHaveLength(1000);
  expect(reasonOf("")).toBeUndefined();
});

test("programs that tests start collect garbage as those of users do", () => {
  const script = "console.log(Object.keys(process.env).filter((name) => name.startsWith('BUN_GC')))";
  const { stdout } = Bun.spawnSync([process.execPath, "-e", script], { env: { ...process.env } });
  expect(stdout.toString().trim()).toBe("[]");
});
