import { type HandbookPages, linkedPage } from "./handbook-pages.ts";
import { titleOf } from "./render-handbook.ts";

/**
 * Returns the list of pages for language models, in the form of llmstxt.org: each page once, under the heading of the index that links to it
 * first, with the sentence that the index says about it. The links lead to Markdown.
 */
export function listForModels(pages: HandbookPages, origin: string, version: string): string {
  const lines = [
    "# Argosy",
    "",
    `> Documentation of Argosy ${version}: one executable that designs, runs, serves and bills AI agents.`,
    "",
    `The API of this server is described by ${origin}/openapi.json.`,
  ];
  const listed = new Set(["index"]);
  for (const line of (pages.get("index") ?? "").split("\n")) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) lines.push("", `## ${heading}`, "");
    const [, target = ""] = /\]\(([^)#]+)(?:#[^)]*)?\)/.exec(line) ?? [];
    const page = target === "" || !line.startsWith("|") ? undefined : linkedPage("index", target);
    const markdown = page === undefined ? undefined : pages.get(page);
    if (page === undefined || markdown === undefined || listed.has(page)) continue;
    listed.add(page);
    const about = line.split("|").at(-2)?.trim().replaceAll("`", "") ?? "";
    lines.push(`- [${titleOf(markdown)}](${origin}/docs/${page}.md)${about === "" ? "" : `: ${about}`}`);
  }
  const others = [...pages].filter(([name]) => !listed.has(name));
  if (others.length > 0) {
    lines.push("", "## Optional", "");
    for (const [name, markdown] of others) lines.push(`- [${titleOf(markdown)}](${origin}/docs/${name}.md)`);
  }
  return `${lines.join("\n").replaceAll(/\n## [^\n]+\n\n(?=\n## |$)/g, "")}\n`;
}
