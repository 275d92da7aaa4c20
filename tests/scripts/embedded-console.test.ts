import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedConsole } from "../../scripts/building/embedded-console.ts";
import { writeTree } from "./source-tree.ts";

const repository = join(import.meta.dir, "../..");
const source = (path: string) => readFileSync(join(repository, path), "utf8");
const assets = "src/services/console/assets";

const tree = {
  "src/main.ts": `export { openBundle } from "./services/console/assets/bundle.ts";`,
  [`${assets}/bundle.ts`]: "export const openBundle = undefined;",
  [`${assets}/packed-bundle.ts`]: source(`${assets}/packed-bundle.ts`),
  "src/kit/app-error.ts": source("src/kit/app-error.ts"),
};

/** Returns the executable's replacement of `bundle.ts`. */
async function built(root: string) {
  const plugin = await embeddedConsole(root);
  const { outputs } = await Bun.build({
    entrypoints: [join(root, "src/main.ts")],
    target: "bun",
    outdir: join(root, "out"),
    plugins: [plugin],
  });
  const entry = outputs.find(({ kind }) => kind === "entry-point");
  return import(entry?.path ?? "");
}

test("a program built without the page says so when it is opened", async () => {
  const { openBundle } = await built(writeTree(tree));
  for (const open of Object.values<() => Promise<unknown>>(openBundle())) {
    await expect(open()).rejects.toMatchObject({ kind: "unavailable", code: "console_missing" });
  }
});

test("a tree that has no console at all builds as it is", async () => {
  const root = writeTree({ "src/main.ts": "export const openBundle = 1;" });
  expect((await built(root)).openBundle).toBe(1);
});
