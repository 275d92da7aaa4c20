import { expect, test } from "bun:test";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildWidget } from "../../scripts/building/widget.ts";

const root = join(import.meta.dir, "../..");

test("the widget is one script under 15 KB compressed, the same in each build", async () => {
  const script = await buildWidget(root);
  expect(gzipSync(script, { level: 9 }).byteLength).toBeLessThan(15_000);
  expect(Bun.hash(await buildWidget(root))).toBe(Bun.hash(script));
  const text = new TextDecoder().decode(script);
  // Texts of others never become markup, and a page's policy may forbid evaluation.
  expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/);
});
