import { readMediaType } from "../media-type.ts";
import { HtmlScanner, type HtmlSink } from "./html-scanner.ts";

/** A page says its charset at its beginning, or is not heard. */
const prescannedBytes = 4096;

/**
 * The text of a body, in the charset of its byte order mark, else of its `Content-Type`, else that a page names for itself,
 * else UTF-8, or windows-1252 where that can't be. Never fails: what is no text in that charset becomes U+FFFD.
 */
export function decodeBody(body: Uint8Array, charset: string | undefined, isHtml: boolean): string {
  const declared =
    decoderFor(charsetOfMark(body)) ??
    decoderFor(charset) ??
    (isHtml ? decoderFor(charsetOfPage(body)) : undefined);
  if (declared !== undefined) return declared.decode(body);
  return utf8Of(body) ?? new TextDecoder("windows-1252").decode(body);
}

/** Undefined where none is named or nobody knows it. */
function decoderFor(charset: string | undefined): TextDecoder | undefined {
  try {
    return charset === undefined ? undefined : new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

/** The charset of a byte order mark. */
export function charsetOfMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** The first charset that a `meta` names. */
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
  // Who could write this into a page that can be read byte by byte did not use it.
  return charset?.toLowerCase().startsWith("utf-16") ? "utf-8" : charset;
}

function charsetOfMeta(attributes: ReadonlyMap<string, string>): string | undefined {
  const charset = attributes.get("charset")?.trim();
  if (charset) return charset;
  if (attributes.get("http-equiv")?.trim().toLowerCase() !== "content-type") return undefined;
  return readMediaType(attributes.get("content") ?? null)?.charset;
}

/** The text of a body that is UTF-8, or the beginning of a longer one that is; undefined when it is something else. */
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
    // It ends within a character: that of a body that was cut, or the one foreign letter of another charset.
    return /[\u0080-\uffff]/.test(text) ? `${text}\ufffd` : undefined;
  }
}
