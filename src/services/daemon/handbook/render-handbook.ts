import { Eta } from "eta/core";
import template from "./handbook-page.eta" with { type: "text" };
import { type HandbookPages, linkedPage } from "./handbook-pages.ts";
import { handbookPictures } from "./handbook-pictures.ts";

/** A part of a page under one heading. */
export interface HandbookSection {
  page: string;
  /** Title of the page, and of the section if it is not the page's first. */
  title: string;
  heading: string;
  anchor: string;
  text: string;
}

export interface FoundSection extends Omit<HandbookSection, "text"> {
  /** Text around the first word that was found. */
  excerpt: string;
}

/** Returns the title of a page: its first heading. */
export function titleOf(markdown: string): string {
  return plain(/^# (.+)$/m.exec(markdown)?.[1] ?? "Argosy");
}

/** Renders the content of a page as HTML. Links to other pages lead to the pages of this server; links to files that it lacks become text. */
export function renderMarkdown(pages: HandbookPages, name: string, markdown: string): string {
  const used = new Map<string, number>();
  return Bun.markdown
    .html(markdown.replaceAll(/<!--[\s\S]*?-->/g, ""), {
      noHtmlBlocks: true,
      noHtmlSpans: true,
      autolinks: { url: true },
    })
    .replaceAll(/<h([1-6])>([\s\S]*?)<\/h\1>/g, (_, level: string, inner: string) => {
      const anchor = numbered(anchorOf(plain(inner)), used);
      return `<h${level} id="${anchor}">${inner}</h${level}>`;
    })
    .replaceAll(/<img [^>]*>/g, shownPicture)
    .replaceAll(/<a href="([^"]*)">([\s\S]*?)<\/a>/g, (whole, href: string, inner: string) => {
      if (/^https?:/.test(href)) return whole.replace("<a ", '<a rel="noreferrer" ');
      const [path = "", anchor] = href.split("#");
      const target = linkedPage(name, path);
      if (target === undefined || !pages.has(target)) return inner;
      return `<a href="/docs/${target}${anchor === undefined ? "" : `#${anchor}`}">${inner}</a>`;
    })
    .replaceAll("<pre><code", '<pre tabindex="0"><code')
    .replaceAll(/<table>[\s\S]*?<\/table>/g, (table) => `<div class="wide">${table}</div>`);
}

/** Returns an image of a page if this server has its picture, and nothing for others. */
function shownPicture(image: string): string {
  const [, file = "", alt = ""] = /^<img src="([^"]*)" alt="([^"]*)"/.exec(image) ?? [];
  return Object.hasOwn(handbookPictures, file) ? `<img src="/docs/${file}" alt="${alt}">` : "";
}

/** Spells a heading's anchor as GitHub does, so that links work in both places. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}

function numbered(anchor: string, used: Map<string, number>): string {
  const count = used.get(anchor) ?? 0;
  used.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

/** Returns the text of HTML or Markdown without its markup. */
const plain = (text: string): string =>
  text
    .replaceAll(/<[^<>]*>/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");

/** Splits the pages at their headings, for the search. */
export function sectionsOf(pages: HandbookPages): HandbookSection[] {
  return [...pages].flatMap(([page, markdown]) => {
    const title = titleOf(markdown);
    const used = new Map<string, number>();
    const sections: HandbookSection[] = [];
    let isCode = false;
    for (const line of markdown.split("\n")) {
      if (/^ *(```|~~~)/.test(line)) isCode = !isCode;
      const heading = isCode ? undefined : /^#{1,4} (.+)$/.exec(line)?.[1];
      if (heading !== undefined) {
        const text = plain(heading);
        sections.push({ page, title, heading: text, anchor: numbered(anchorOf(text), used), text: "" });
      } else {
        const current = sections.at(-1);
        if (current !== undefined)
          current.text += `${line.replaceAll(/[|`*]+/g, " ").replaceAll(/\s+/g, " ")} `;
      }
    }
    return sections;
  });
}

/** Returns the sections that contain every word of the query, best first: words in headings count most. */
export function searchSections(
  sections: readonly HandbookSection[],
  query: string,
  limit = 30,
): FoundSection[] {
  const words = [
    ...new Set(
      query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== ""),
    ),
  ].slice(0, 12);
  if (words.length === 0) return [];
  return sections
    .flatMap((section) => {
      const heading = section.heading.toLowerCase();
      const title = section.title.toLowerCase();
      const text = plain(section.text);
      const lower = text.toLowerCase();
      let score = 0;
      for (const word of words) {
        const inText = Math.min(lower.split(word).length - 1, 5);
        const sectionScore = (heading.includes(word) ? 20 : 0) + (title.includes(word) ? 5 : 0) + inText;
        if (sectionScore === 0) return [];
        score += sectionScore;
      }
      const { page, title: pageTitle, heading: shown, anchor } = section;
      return [
        { score, found: { page, title: pageTitle, heading: shown, anchor, excerpt: excerptOf(text, words) } },
      ];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ found }) => found);
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0), text.length);
  const start = Math.max(0, first - 60);
  const cut = text.slice(start, start + 200).trim();
  return `${start > 0 ? "…" : ""}${cut}${start + 200 < text.length ? "…" : ""}`;
}

export interface PageView {
  title: string;
  version: string;
  /** The page that is shown, for the list of pages. */
  current: string;
  query: string;
  pages: { name: string; title: string }[];
  /** Rendered content; absent on the page of search results. */
  content?: string;
  found?: FoundSection[];
  message?: string;
}

/** Renders a whole page: list of pages, search form, and the content or what was found. It needs no script. */
export function renderPage(view: PageView): string {
  return new Eta({ autoEscape: true, varName: "view" }).renderString(template, view);
}
