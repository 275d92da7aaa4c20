import { Elysia } from "elysia";
import style from "./handbook-page.css" with { type: "text" };
import { type HandbookPages, readHandbook } from "./handbook-pages.ts";
import { handbookPictures } from "./handbook-pictures.ts";
import { listForModels } from "./list-for-models.ts";
import {
  type HandbookSection,
  type PageView,
  renderMarkdown,
  renderPage,
  searchSections,
  sectionsOf,
  titleOf,
} from "./render-handbook.ts";

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
};
const textHeaders = (type: string) => ({ "content-type": `${type}; charset=utf-8` });
const hidden = { detail: { hide: true } };

/** Longest query of the search, in characters. */
const queryLengthMax = 200;

/** The documentation of this version: `/docs/<page>`, `/docs/<page>.md`, `/docs/search` and `/llms.txt`. */
export const handbookRoutes = ({ version }: { version: string }) => {
  // Unpacked and split at the first request, so a daemon whose documentation nobody reads spends no memory on it.
  let read: Promise<HandbookPages> | undefined;
  let sections: HandbookSection[] | undefined;
  const open = () => {
    read ??= readHandbook();
    return read;
  };
  const search = (pages: HandbookPages, query: string, limit?: number) => {
    sections ??= sectionsOf(pages);
    return searchSections(sections, query, limit);
  };
  const answer = (pages: HandbookPages, status: number, view: Omit<PageView, "version" | "pages">) => {
    const list = [...pages].map(([name, markdown]) => ({ name, title: titleOf(markdown) }));
    const html = renderPage({ ...view, version, pages: inReadingOrder(pages, list) });
    return new Response(html, { status, headers: pageHeaders });
  };
  const show = async (name: string) => {
    const picture = Object.hasOwn(handbookPictures, name) ? handbookPictures[name] : undefined;
    if (picture !== undefined) return new Response(picture, { headers: textHeaders("image/svg+xml") });
    const pages = await open();
    if (name.endsWith(".md")) {
      const markdown = pages.get(name.slice(0, -3));
      if (markdown !== undefined) return new Response(markdown, { headers: textHeaders("text/markdown") });
    }
    const markdown = pages.get(name);
    if (markdown === undefined)
      return answer(pages, 404, {
        title: "No such page",
        current: "",
        query: "",
        message:
          "The documentation of this version has no page at this address. Choose one from the list, or search.",
        found: search(pages, name.replaceAll(/[^\p{L}\p{N}]+/gu, " "), 5),
      });
    const content = renderMarkdown(pages, name, markdown);
    return answer(pages, 200, { title: titleOf(markdown), current: name, query: "", content });
  };
  return new Elysia()
    .get("/docs/:page", async ({ params }) => show(params.page), hidden)
    .get("/docs/reference/:page", async ({ params }) => show(`reference/${params.page}`), hidden)
    .get("/docs/handbook.css", async () => new Response(style, { headers: textHeaders("text/css") }), hidden)
    .get(
      "/docs/search",
      async ({ request }) => {
        const pages = await open();
        const query = (new URL(request.url).searchParams.get("q") ?? "").slice(0, queryLengthMax).trim();
        const matchingSections = search(pages, query);
        const count =
          matchingSections.length === 1
            ? "1 section"
            : `${matchingSections.length === 30 ? "The 30 best" : matchingSections.length} sections`;
        const message = query === "" ? "Enter one or more words." : `${count} with all words of “${query}”.`;
        return answer(pages, 200, { title: "Search", current: "", query, message, found: matchingSections });
      },
      hidden,
    )
    .get(
      "/llms.txt",
      async ({ request }) => {
        const text = listForModels(await open(), new URL(request.url).origin, version);
        return new Response(text, { headers: textHeaders("text/plain") });
      },
      hidden,
    );
};

/** Sorts pages as the index links to them. */
function inReadingOrder(pages: HandbookPages, list: { name: string; title: string }[]): typeof list {
  const index = pages.get("index") ?? "";
  const place = ({ name }: { name: string }) => {
    const at = index.indexOf(`(${name}.md`);
    return name === "index" ? -1 : at < 0 ? index.length : at;
  };
  return [...list].sort((a, b) => place(a) - place(b));
}
