import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./fenced-blocks.ts";

const index = "docs/README.md";
const pages = ["README.md", ...[...new Bun.Glob("docs/**/*.md").scanSync({ cwd: root })].sort()];

/** Returns the text of a page without its fenced blocks. */
const proseOf = (page: string): string =>
  readFileSync(join(root, page), "utf8").replaceAll(/^ *(`{3,})[^\n]*\n.*?^ *\1$/gms, "");

/** Returns the anchors of a page's headings, spelled as GitHub spells them. */
const anchorsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );

/** Returns the links of a page to files of the project, each with its target from the root and its anchor. */
const linksOf = (page: string) =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : relative(root, join(root, dirname(page), path));
    return [{ link, target, anchor }];
  });

describe("links of the documentation", () => {
  test.each(pages)("%s links to files and headings that exist", (page) => {
    const broken = linksOf(page).filter(
      ({ target, anchor }) =>
        !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor)),
    );
    expect(broken.map(({ link }) => link)).toEqual([]);
  });

  test("the index links to every page", () => {
    const linked = new Set(linksOf(index).map(({ target }) => target));
    expect(pages.filter((page) => page !== index && !linked.has(page))).toEqual([]);
  });
});
