import { expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { writeTree } from "./source-tree.ts";

const repository = join(import.meta.dir, "../..");

/** Returns the rules that Biome, configured as in this repository, reports for these files. */
function brokenRules(files: Record<string, string>): string[] {
  const root = writeTree({ "package.json": "{}", ...files });
  copyFileSync(join(repository, "biome.jsonc"), join(root, "biome.jsonc"));
  const { stdout } = Bun.spawnSync(
    [join(repository, "node_modules/.bin/biome"), "lint", "--reporter=json", "."],
    { cwd: root, stderr: "ignore" },
  );
  const report: { diagnostics: { category: string; severity: string; location: { path: string } }[] } =
    JSON.parse(stdout.toString());
  return report.diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ category, location }) => `${location.path} ${category.replace(/^lint\/\w+\//, "")}`)
    .sort((a, b) => a.localeCompare(b));
}

test("what the house refuses is an error", () => {
  const broken = {
    "floating-promise":
      "async function go(): Promise<number> { return 1; }\nexport const a = () => { go(); };",
    "misused-promise": "export const a = (go: () => Promise<number>) => (go() ? 1 : 2);",
    any: "export const a = (b: any) => b;",
    "non-null": "export const a = (b?: string) => b!.length;",
    "default-export": "export default 1;",
    "process-env": "export const a = process.env.HOME;",
    console: "export const a = () => console.log(1);",
    "parameter-assign": "export function a(b: number) { b = 2; return b; }",
    "reexport-all": 'export * from "./any.ts";',
    Uppercase: "export const a = 1;",
    "cycle-a": 'import { b } from "./cycle-b.ts"; export const a = () => b;',
    "cycle-b": 'import { a } from "./cycle-a.ts"; export const b = () => a;',
    long: "export const a = [\n".concat("  1,\n".repeat(500), "];\n"),
    network: 'export const a = () => fetch("http://x");',
    timer: "export const a = () => setTimeout(() => {}, 1);",
    undeclared: 'import { x } from "nowhere"; export const a = x;',
  };
  const files = Object.fromEntries(
    Object.entries(broken).map(([name, code]) => [`src/engine/${name}.ts`, `${code}\n`]),
  );
  expect(brokenRules(files)).toEqual(
    [
      "any.ts noExplicitAny",
      "console.ts noConsole",
      "cycle-a.ts noImportCycles",
      "cycle-b.ts noImportCycles",
      "default-export.ts noDefaultExport",
      "floating-promise.ts noFloatingPromises",
      "long.ts noExcessiveLinesPerFile",
      "misused-promise.ts noMisusedPromises",
      "network.ts noRestrictedGlobals",
      "non-null.ts noNonNullAssertion",
      "parameter-assign.ts noParameterAssign",
      "process-env.ts noProcessEnv",
      "reexport-all.ts noBarrelFile",
      "timer.ts noRestrictedGlobals",
      "undeclared.ts noUndeclaredDependencies",
      "Uppercase.ts useFilenamingConvention",
    ].map((fault) => `src/engine/${fault}`),
  );
});

test("the exceptions are where the house says", () => {
  expect(
    brokenRules({
      "src/compose/load-config.ts": "export const a = process.env.HOME;\n",
      "src/cli/run.ts": "export const a = () => console.log(1);\n",
      "src/kit/clock.ts": "export const a = () => setTimeout(() => {}, 1);\n",
      "src/engine/tools/network/client.ts": 'export const a = () => fetch("http://x");\n',
      "src/engine/handed.ts": "export const a = (fetch: (url: string) => number) => fetch('http://x');\n",
      "tests/a.test.ts": "export const a = process.env.HOME;\n",
    }),
  ).toEqual([]);
});
