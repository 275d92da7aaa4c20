import { readPage } from "../../kit/html/read-page.ts";
import type { ReadDocument } from "./document-reader.ts";
import { textCharsMax, textTooLong } from "./text-limit.ts";

/** The visible text of an HTML page. Throws AppError `document_too_large`, or the signal's reason. */
export async function readHtml(html: string, signal: AbortSignal): Promise<ReadDocument> {
  // A character may take two code units.
  const { text, title, length } = await readPage(html, 2 * textCharsMax, signal);
  if (length > text.length) throw textTooLong();
  return { text, metadata: {}, ...(title !== "" && { title }) };
}
