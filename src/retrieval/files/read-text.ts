import { charsetOfPage } from "../../kit/html/decode-body.ts";
import { readPage } from "../../kit/html/read-page.ts";
import { charsetOfEscapes, charsetOfMark, findCharset } from "../../kit/text/charsets.ts";
import { textCharsMax, textTooLong, unreadable } from "./document-fault.ts";
import type { ReadDocument, TextPlace } from "./document-file.ts";
import { inCharacters, sectionName } from "./document-writer.ts";

/** The visible text of an HTML page. Throws AppError `document_too_large`, or the signal's reason. */
export async function readHtml(html: string, signal: AbortSignal): Promise<ReadDocument> {
  // A character may take two code units.
  const { text, title, length, headings } = await readPage(html, 2 * textCharsMax, signal);
  if (length > text.length) throw textTooLong();
  const places = placesOf(text, headings);
  return { text, metadata: {}, ...(title !== "" && { title }), ...(places.length > 0 && { places }) };
}

/** Places of headings, whose starts are in code units. */
export function placesOf(text: string, headings: readonly { start: number; text: string }[]): TextPlace[] {
  const places = headings.flatMap(({ start, text: heading }) => {
    const section = sectionName(heading);
    return section === undefined ? [] : [{ start, section }];
  });
  return inCharacters(text, places);
}

/**
 * Decodes a text file without replacing or skipping anything but its byte order mark; line ends become `\n`. The charset is that of the
 * mark, else the declared one, else the one an HTML page declares itself, else that of its escape sequences (ISO-2022), else UTF-8. Throws
 * AppError `document_unreadable` if the bytes are invalid in it.
 */
export function decodeText(bytes: Uint8Array, declared: string | undefined, isHtml: boolean): string {
  const charset =
    charsetOfMark(bytes) ??
    declared ??
    (isHtml ? charsetOfPage(bytes) : undefined) ??
    charsetOfEscapes(bytes) ??
    "utf-8";
  const text = decode(bytes, charset, declared);
  if (text.includes("\0")) {
    throw unreadable(
      "The file holds NUL characters, so it is not text; send it as what it is, or without them.",
    );
  }
  return withPlainEnds(text);
}

/** The text with `\n` as the only line end. */
export function withPlainEnds(text: string): string {
  return text.includes("\r") ? text.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : text;
}

function decode(bytes: Uint8Array, label: string, declared: string | undefined): string {
  const charset = findCharset(label);
  if (charset === undefined)
    throw unreadable(`The charset ${label.slice(0, 40)} is unknown; send the file as UTF-8.`);
  try {
    return charset.decode(bytes, true);
  } catch (cause) {
    const hint =
      declared === undefined
        ? "save it as UTF-8, or name its charset in the content type"
        : "name its real charset, or send it as UTF-8";
    throw unreadable(`The file is not valid ${charset.name.toUpperCase()} text; ${hint}.`, cause);
  }
}
