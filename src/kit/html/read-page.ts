import { HtmlScanner } from "./html-scanner.ts";
import { PageText } from "./page-text.ts";

/** What a person would read of a page. */
export interface Page {
  /** Empty where it has none. */
  title: string;
  /** The first `charsMax` characters. */
  text: string;
  /** Characters of the whole text. */
  length: number;
}

/** Read at a stretch before others get their turn: about a millisecond of an ordinary page, and ten of the worst. */
const stretchChars = 65_536;

/**
 * Reads an HTML page as far as it is seen: without markup, scripts, styles, comments and what is hidden. Time and memory grow
 * with the page's length alone, whatever stands in it. Rejects with the signal's reason when that aborts.
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
