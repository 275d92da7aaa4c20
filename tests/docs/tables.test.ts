import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./fenced-blocks.ts";

const pages = ["README.md", ...[...new Bun.Glob("docs/**/*.md").scanSync({ cwd: root })].sort()];

test.each(pages)("%s has no row that an empty line separates from its table", (page) => {
  const text = readFileSync(join(root, page), "utf8").replaceAll(/^ *(`{3,})[^\n]*\n.*?^ *\1$/gms, "");
  const torn = [...text.matchAll(/^\|.*\n\n+(\|.*)\n(?!\|[ :|-]+$)/gm)].map(([, row]) => row);
  expect(torn).toEqual([]);
});
