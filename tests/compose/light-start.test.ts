import { expect, test } from "bun:test";
import { join } from "node:path";

const source = join(import.meta.dir, "../../src");

/** Modules that a daemon at rest doesn't need, and how a file would load them at the start. */
const heavy: [string, RegExp][] = [
  ["Bun's SQL client (4 MiB; use Bun.SQL)", /^import (?!type )[^;]*(?<!type )\bSQL\b[^;]*from "bun";/m],
  ["node:dns", /^import (?!type )[^;]*from "node:dns(?:\/promises)?";/m],
  ["node:tls", /^import (?!type )[^;]*from "node:tls";/m],
];

test.each(heavy)("no file loads %s with itself", async (_, pattern) => {
  const found: string[] = [];
  let files = 0;
  for await (const file of new Bun.Glob("**/*.ts").scan(source)) {
    files++;
    if (pattern.test(await Bun.file(join(source, file)).text())) found.push(file);
  }
  expect(files).toBeGreaterThan(1000);
  expect(found).toEqual([]);
});

test.each([
  'import { SQL } from "bun";',
  'import { type ReservedSQL, SQL } from "bun";',
  'import { lookup } from "node:dns/promises";',
  'import { createSecureContext } from "node:tls";',
])("%s would be found", (line) => {
  expect(heavy.some(([, pattern]) => pattern.test(`import a from "b";\n${line}`))).toBeTrue();
});

test.each(['import type { SQL } from "bun";', 'import { type SQL, sleep } from "bun";'])(
  "%s loads nothing",
  (line) => {
    expect(heavy.some(([, pattern]) => pattern.test(line))).toBeFalse();
  },
);
