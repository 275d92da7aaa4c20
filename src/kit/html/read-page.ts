import { HtmlScanner } from "./html-scanner.ts";
import { PageText } from "./page-text.ts";

/** The readable text of a page. */
export interface Page {
  /** Empty if the page has no title. */
  title: string;
  /** The first `charsMax` characters. */
  text: string;
  /** Length of the whole text, in characters. */
  length: number;
}

/** Characters read before other tasks get their turn: about 1 ms of work for an ordinary page, 10 ms for the worst. */
const stretchChars = 65_536;

/**
 * Extracts the visible text of an HTML page: without markup, scripts, styles, comments and hidden elements. Time and memory depend only on
 * the page's length. Rejects with the signal's reason if the signal aborts.
 */
export async function readPage(html: string, charsMax: number, signal: AbortSignal): Promise<Page> {
  const page = new PageText(charsMax);
  const scanner = new HtmlScanner(html, page);
  while (scanner.step(stretchChars)) {
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  return { title: page.pageTitle, text: page.pageText, length: page.length };
}
