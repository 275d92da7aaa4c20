import { readMediaType } from "../fetch/media-type.ts";
import { charsetOfEscapes, charsetOfMark, findCharset } from "../text/charsets.ts";
import { HtmlScanner, type HtmlSink } from "./html-scanner.ts";

/** A charset that a page declares after this many bytes is ignored. */
const prescannedBytes = 4096;

/**
 * Decodes a body in the charset of its byte order mark, else of its `Content-Type`, else of the page's `meta`, else of its escape sequences,
 * else UTF-8, or windows-1252 if the body is not valid UTF-8. Never fails: bytes that are invalid in that charset become U+FFFD.
 */
export function decodeBody(body: Uint8Array, charset: string | undefined, isHtml: boolean): string {
  const declared = [
    charsetOfMark(body),
    charset,
    isHtml ? charsetOfPage(body) : undefined,
    charsetOfEscapes(body),
  ]
    .values()
    .map((label) => (label === undefined ? undefined : findCharset(label)))
    .find((known) => known !== undefined);
  if (declared !== undefined) return declared.decode(body, false);
  return utf8Of(body) ?? new TextDecoder("windows-1252").decode(body);
}

/** Returns the first charset that a `meta` element names, as the HTML standard reads it; undefined for an unknown name. */
export function charsetOfPage(body: Uint8Array): string | undefined {
  let charset: string | undefined;
  const sink: HtmlSink = {
    text() {},
    end() {},
    start(name, attributes) {
      if (name === "meta") charset ??= charsetOfMeta(attributes);
      return name === "script" || name === "style" ? "raw" : name === "title" ? "references" : undefined;
    },
  };
  const head = new TextDecoder("windows-1252").decode(body.subarray(0, prescannedBytes));
  new HtmlScanner(head, sink).step(head.length);
  const name = charset === undefined ? undefined : findCharset(charset)?.name;
  // A page that could be scanned byte by byte is not UTF-16, whatever it declares: `unicode` is one of its names.
  if (name?.startsWith("utf-16")) return "utf-8";
  return name === "x-user-defined" ? "windows-1252" : name;
}

function charsetOfMeta(attributes: ReadonlyMap<string, string>): string | undefined {
  const charset = attributes.get("charset")?.trim();
  if (charset) return charset;
  if (attributes.get("http-equiv")?.trim().toLowerCase() !== "content-type") return undefined;
  return readMediaType(attributes.get("content") ?? null)?.charset;
}

/** Decodes a body that is UTF-8, or the beginning of a longer UTF-8 body; returns undefined for any other. */
function utf8Of(body: Uint8Array): string | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text: string;
  try {
    text = decoder.decode(body, { stream: true });
  } catch {
    return undefined;
  }
  try {
    return text + decoder.decode();
  } catch {
    // The text ends inside a character: either the body was cut, or this is a single foreign letter in another charset.
    return /[\u0080-\uffff]/.test(text) ? `${text}\ufffd` : undefined;
  }
}
