import { HtmlScanner } from "./html-scanner.ts";
import { PageText } from "./page-text.ts";
import { TextWriter } from "./text-writer.ts";

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
