import { expect, test } from "bun:test";
import { openBundle } from "../../../../src/services/console/assets/bundle.ts";

test("from source the console is built when a page opens, and not again while nothing changes", async () => {
  const source = openBundle();
  const [bundle, again, current] = await Promise.all([source.latest(), source.latest(), source.current()]);
  expect(again).toBe(bundle);
  expect(current).toBe(bundle);
  const paths = bundle.files.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  const starts = Object.values(bundle.starts).flatMap(({ script, preload }) => [script, ...preload]);
  for (const path of [bundle.style, ...starts]) expect(paths).toContain(path);
  expect(new Set(bundle.files.map(({ encoding }) => encoding))).toEqual(new Set(["identity"]));
});
