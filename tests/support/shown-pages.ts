import type { Page } from "playwright-core";

const charactersMax = 600;
/** What a page may take to tell its text: one that hangs tells nothing. */
const tellMs = 10_000;

/** The pages that a test has open or has closed, with the last text of the closed ones. */
const texts = new Map<Page, string>();

/** What the browser's pages of the present test show: a wait that ends without what it waits for says nothing about that. */
export const shownPages = {
  add: (page: Page) => void texts.set(page, ""),

  /** Keeps the text of a page that is closed next. */
  async leave(page: Page): Promise<void> {
    texts.set(page, await textOf(page));
  },

  /** Forgets the closed pages of earlier tests. */
  begin(): void {
    for (const page of texts.keys()) if (page.isClosed()) texts.delete(page);
  },

  async describe(): Promise<string> {
    const told: string[] = [];
    for (const [page, last] of texts) told.push(page.isClosed() ? last : await textOf(page));
    // What a page showed that was closed with its browser is not known.
    return told
      .filter((text) => text !== "")
      .map((text) => `\nA page showed: ${text}`)
      .join("");
  },
};

/** The page's address, its own part without menus, and its dialogs and notices. */
async function textOf(page: Page): Promise<string> {
  const parts = page.locator("main, [role=dialog], [role=alert]:not(main *)").allInnerTexts();
  const { promise: hung, resolve } = Promise.withResolvers<string[]>();
  const timer = setTimeout(resolve, tellMs, ["It does not answer."]);
  const text = (await Promise.race([parts, hung]).catch((thrown) => [String(thrown)])).join("\n");
  clearTimeout(timer);
  return `${page.url()}\n${text.replaceAll(/\s*\n\s*/g, "\n").slice(0, charactersMax)}`;
}
