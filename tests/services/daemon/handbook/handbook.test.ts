import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { handbookIn, linkedPage } from "../../../../src/services/daemon/handbook/handbook-pages.ts";
import {
  renderMarkdown,
  searchSections,
  sectionsOf,
} from "../../../../src/services/daemon/handbook/render-handbook.ts";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";

const root = join(import.meta.dir, "../../../..");
const pages = handbookIn(root);
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

const get = (path: string) => daemon.call("GET", path);

test("every page is served complete, as HTML without script and as Markdown", async () => {
  for (const [name, markdown] of pages) {
    const { status, text, headers } = await get(`/docs/${name}`);
    expect([name, status]).toEqual([name, 200]);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect([name, /<script|\bon\w+="|<img (?!src="\/docs\/\w+\.svg" alt="[^"]+">)/.test(text)]).toEqual([
      name,
      false,
    ]);
    expect([name, text.endsWith("</html>\n")]).toEqual([name, true]);
    expect((await get(`/docs/${name}.md`)).text).toBe(markdown);
  }
});

test("the picture of the concepts is shown and served as SVG without script", async () => {
  expect((await get("/docs/concepts")).text).toContain('<img src="/docs/concepts.svg" alt="');
  const { status, headers, text } = await get("/docs/concepts.svg");
  expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml; charset=utf-8"]);
  expect(text).toContain("prefers-color-scheme: dark");
  expect(text).not.toMatch(/<script|\bon\w+=|href=/);
});

test("every file of docs/ and both pages of the root have a page of their own", () => {
  const files = [...new Bun.Glob("**/*.md").scanSync(join(root, "docs"))];
  expect(pages.size).toBe(files.length + 2);
  expect(pages.get("security")).toStartWith("# Running Argosy safely");
  expect(pages.get("security-policy")).toStartWith("# Security");
});

test("every link leads to a page and an anchor that exist", async () => {
  const rendered = new Map(
    [...pages].map(([name, markdown]) => [name, renderMarkdown(pages, name, markdown)]),
  );
  const broken: string[] = [];
  let followed = 0;
  for (const [name, html] of rendered)
    for (const [, href = ""] of html.matchAll(/href="([^"]*)"/g)) {
      if (/^https?:/.test(href)) continue;
      const [path = "", anchor] = href.split("#");
      const target = rendered.get(path.replace("/docs/", ""));
      followed += 1;
      if (target === undefined || (anchor !== undefined && !target.includes(` id="${anchor}"`)))
        broken.push(`${name}: ${href}`);
    }
  expect(broken).toEqual([]);
  expect(followed).toBeGreaterThan(100);
});

test.each([
  ["index", "rag.md", "rag"],
  ["index", "../README.md", "start"],
  ["index", "security.md", "security"],
  ["security", "../SECURITY.md", "security-policy"],
  ["reference/agent", "../rag.md", "rag"],
  ["rag", "reference/agent.md", "reference/agent"],
  ["start", "docs/README.md", "index"],
  ["start", "docs/", "index"],
  ["rag", "", "rag"],
  ["rag", "../agents", undefined],
  ["rag", "../../../../etc/passwd.md", undefined],
])("from %s, %j leads to %s", (from, path, page) => {
  expect(linkedPage(from, path)).toBe(page as string);
});

describe("rendering", () => {
  const rendered = (markdown: string) => renderMarkdown(new Map([["a", markdown]]), "a", markdown);

  test.each([
    ["<script>alert(1)</script>", "&lt;script&gt;"],
    ["a <workspace>/x", "&lt;workspace&gt;"],
    ["## A & `b`: c", 'id="a--b-c"'],
    ["## Twice\n\n## Twice", 'id="twice-1"'],
    ["[gone](../src/main.ts)", "<p>gone</p>"],
    ["[x](javascript:alert(1))", "<p>x</p>"],
  ])("%j", (markdown, html) => {
    expect(rendered(markdown)).toContain(html);
    expect(rendered(markdown)).not.toMatch(/<script|href="javascript/);
  });
});

describe("search", () => {
  const sections = sectionsOf(pages);

  test("finds sections with every word, headings first", () => {
    const [first] = searchSections(sections, "Backups upgrades");
    expect(first).toMatchObject({ page: "backup" });
    expect(searchSections(sections, "requires_approval zzzzzz")).toEqual([]);
    expect(searchSections(sections, "   ")).toEqual([]);
    expect(searchSections(sections, "the").length).toBe(30);
  });

  test("a # in a code block is not a heading", () => {
    const found = sectionsOf(new Map([["a", "# A\n```sh\n# comment\n```\ntext"]]));
    expect(found.map(({ heading }) => heading)).toEqual(["A"]);
  });

  test("a result leads to its section, and the query is shown as text", async () => {
    const { status, text } = await get("/docs/search?q=%22%3E%3Cb%3Ebackup");
    expect([status, text.includes("<b>backup")]).toEqual([200, false]);
    const found = await get("/docs/search?q=restore+backup");
    expect(found.text).toContain('href="/docs/backup#');
    expect((await get("/docs/search")).text).toContain("Enter one or more words.");
    expect((await get(`/docs/search?q=${"x".repeat(5000)}`)).status).toBe(200);
  });
});

test.each([
  "/docs/nothing",
  "/docs/reference/nothing",
  "/docs/..%2f..%2fetc%2fpasswd",
  "/docs/rag.mdx",
  "/docs/__proto__",
])("%s is a page with status 404", async (path) => {
  const { status, headers, text } = await get(path);
  expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  expect(text).toContain("No such page");
});

test("the API's page links to the handbook, and both have their styles", async () => {
  expect((await get("/docs")).text).toContain('<a href="/docs/index">');
  for (const path of ["/docs/style.css", "/docs/handbook.css"]) expect((await get(path)).status).toBe(200);
});

test("llms.txt lists every page once, with links that work", async () => {
  const { text, headers } = await get("/llms.txt");
  expect(headers.get("content-type")).toStartWith("text/plain");
  expect(text).toStartWith("# Argosy\n\n> ");
  const links = [...text.matchAll(/\]\((\S+)\)/g)].map(([, link = ""]) => new URL(link).pathname);
  expect(links.sort()).toEqual(
    [...pages.keys()]
      .filter((name) => name !== "index")
      .map((name) => `/docs/${name}.md`)
      .sort(),
  );
  expect((await get(links[0] ?? "")).status).toBe(200);
  expect(text).not.toMatch(/## [^\n]+\n\n(## |$)/);
});
