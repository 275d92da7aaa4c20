import { charsetOfMark, charsetOfPage } from "../../kit/html/decode-body.ts";
import { unreadable } from "./document-fault.ts";

/**
 * The text of a file's bytes, nothing replaced or left out but its byte order mark, with `\n` as the only line end: in the
 * charset of that mark, else the declared one, else the one an HTML page names for itself, else UTF-8. Throws AppError
 * `document_unreadable` where the bytes are no text in it.
 */
export function decodeText(bytes: Uint8Array, declared: string | undefined, isHtml: boolean): string {
  const charset =
    charsetOfMark(bytes) ?? declared ?? (isHtml ? knownCharset(charsetOfPage(bytes)) : undefined) ?? "utf-8";
  const text = decode(bytes, charset, declared);
  if (text.includes("\0")) {
    throw unreadable(
      "The file holds NUL characters, so it is no text; send it as what it is, or without them.",
    );
  }
  return withPlainEnds(text);
}

/** A text whose lines end in `\n`. */
export function withPlainEnds(text: string): string {
  return text.includes("\r") ? text.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : text;
}

function decode(bytes: Uint8Array, charset: string, declared: string | undefined): string {
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset, { fatal: true });
  } catch (cause) {
    throw unreadable(`The charset ${charset.slice(0, 40)} is unknown; send the file as UTF-8.`, cause);
  }
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    const hint =
      declared === undefined
        ? "save it as UTF-8, or name its charset in the content type"
        : "name its real charset, or send it as UTF-8";
    throw unreadable(`The file is not valid ${decoder.encoding.toUpperCase()} text; ${hint}.`, cause);
  }
}

/** What a page names may be nonsense, and then nobody has declared anything. */
function knownCharset(charset: string | undefined): string | undefined {
  try {
    return charset === undefined ? undefined : new TextDecoder(charset).encoding;
  } catch {
    return undefined;
  }
}
