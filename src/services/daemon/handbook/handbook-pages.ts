import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Markdown of the pages by their name in addresses: `rag`, `reference/agent`. */
export type HandbookPages = ReadonlyMap<string, string>;

/** Pages of the project's root that pages of docs/ link to. */
const rootPages: Readonly<Record<string, string>> = { start: "README.md", "security-policy": "SECURITY.md" };

/**
 * Reads the pages of docs/ from the source tree. The executable replaces this module by one that has them embedded: see
 * scripts/building/embedded-handbook.ts.
 */
export async function readHandbook(): Promise<HandbookPages> {
  return handbookIn(join(import.meta.dir, "../../../.."));
}

/** Returns the pages of a source tree. */
export function handbookIn(root: string): HandbookPages {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => [pageName(file), readFileSync(join(root, "docs", file), "utf8")] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const others = Object.entries(rootPages).map(
    ([name, file]) => [name, readFileSync(join(root, file), "utf8")] as const,
  );
  return new Map([...docs, ...others]);
}

/** Returns a page's name: its path in docs/ without `.md`; `index` for the README of docs/. */
export const pageName = (file: string): string =>
  file
    .replaceAll("\\", "/")
    .replace(/\.md$/, "")
    .replace(/^README$/, "index");

/** Returns the page that a link from a page leads to, or undefined if it is not in the handbook. */
export function linkedPage(from: string, path: string): string | undefined {
  if (path === "") return from;
  const isRoot = Object.hasOwn(rootPages, from);
  const base = isRoot ? "https://x/" : `https://x/docs/${from === "index" ? "README" : from}`;
  const target = new URL(path, base).pathname.slice(1);
  const root = Object.entries(rootPages).find(([, file]) => file === target)?.[0];
  if (root !== undefined) return root;
  return /^docs\/(.+\.md)$/.exec(target)?.[1] === undefined
    ? target === "docs/"
      ? "index"
      : undefined
    : pageName(target.slice("docs/".length));
}
