import { othersTurn } from "../concurrency/others-turn.ts";
import { HtmlScanner } from "./html-scanner.ts";
import { type Heading, PageText } from "./page-text.ts";
import { TextWriter } from "./text-writer.ts";

/** The readable text of a page. */
export interface ReadablePage {
  /** Empty if the page has no title. */
  title: string;
  /** The first `charsMax` characters. */
  text: string;
  /** Length of the whole text, in characters. */
  length: number;
  /** Headings with their start in the text. */
  headings: readonly Heading[];
}

/** Characters read before other tasks get their turn: about 1 ms of work for an ordinary page, 10 ms for the worst. */
const stretchChars = 65_536;

/**
 * Extracts the visible text of an HTML page: without markup, scripts, styles, comments and hidden elements. Time and memory depend only on
 * the page's length. Rejects with the signal's reason if the signal aborts.
 */
export async function readPage(html: string, charsMax: number, signal: AbortSignal): Promise<ReadablePage> {
  const page = new PageText(charsMax, reversedLists(html));
  const scanner = new HtmlScanner(html, page);
  while (scanner.step(stretchChars)) {
    await othersTurn();
    signal.throwIfAborted();
  }
  return { title: page.pageTitle, text: page.pageText, length: page.length, headings: page.headings };
}

/** Longer tags are not counted, so that the time depends on the page's length alone. */
const listTag = /<!--|<(\/?)(ol|ul|menu|li)\b([^<>]{0,1000})>/gi;

/** Numbers of items of the reversed lists without a start, in the order of their start tags. */
export function reversedLists(html: string): number[] {
  const counts: number[] = [];
  if (!/\breversed\b/i.test(html)) return counts;
  const open: (number | undefined)[] = [];
  const tags = new RegExp(listTag);
  for (let tag = tags.exec(html); tag !== null; tag = tags.exec(html)) {
    const [whole, end, name = "", attributes = ""] = tag;
    if (whole === "<!--") {
      const over = html.indexOf("-->", tags.lastIndex);
      if (over === -1) break;
      tags.lastIndex = over;
    } else if (name.toLowerCase() === "li") {
      const list = open.at(-1);
      if (end === "" && list !== undefined) counts[list] = (counts[list] ?? 0) + 1;
    } else if (end === "/") open.pop();
    else {
      const isCounted =
        name.toLowerCase() === "ol" && /\breversed\b/i.test(attributes) && !/\bstart\b/i.test(attributes);
      open.push(isCounted ? counts.push(0) - 1 : undefined);
    }
  }
  return counts;
}

/** The rest of a longer fragment is ignored. */
const fragmentCharsMax = 65_536;

/** Returns a short piece of HTML as one line of text. */
export function readFragment(html: string, charsMax: number): string {
  const page = new PageText(charsMax);
  new HtmlScanner(html.slice(0, fragmentCharsMax), page).step(fragmentCharsMax);
  return readLine(page.pageText, charsMax);
}

/** Returns a text as one line, without control and invisible characters. */
export function readLine(text: string, charsMax: number): string {
  const writer = new TextWriter(charsMax);
  writer.add(text.slice(0, fragmentCharsMax));
  return writer.text;
}
