import { findCharset } from "../../../kit/text/charsets.ts";
import { unreadable } from "../document-fault.ts";

/** A part of a message (RFC 2045): its headers in lower case, and its content. */
export interface MailPart {
  headers: ReadonlyMap<string, string>;
  /** `text/plain` if none is said. */
  type: string;
  parameters: ReadonlyMap<string, string>;
  /** Decoded bytes; empty for a part that has parts. */
  bytes: Uint8Array;
  parts: readonly MailPart[];
}

const depthMax = 20;
const partsMax = 1000;

/** Reads a message with its parts. Throws AppError `document_unreadable`. */
export function readMailPart(bytes: Uint8Array): MailPart {
  return readPart(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"), 0, {
    left: partsMax,
  });
}

function readPart(source: string, depth: number, budget: { left: number }): MailPart {
  if (depth > depthMax || budget.left-- <= 0) throw unreadable("The message has too many parts.");
  const gap = /\r?\n\r?\n/.exec(source);
  const head = source.slice(0, gap?.index ?? source.length);
  const body = gap === null ? "" : source.slice(gap.index + gap[0].length);
  const headers = headersOf(head);
  const { value, parameters } = readParameters(headers.get("content-type") ?? "text/plain");
  const type = value === "" ? "text/plain" : value.toLowerCase();
  const boundary = parameters.get("boundary");
  if (type.startsWith("multipart/") && boundary) {
    const parts = piecesOf(body, boundary).map((piece) => readPart(piece, depth + 1, budget));
    return { headers, type, parameters, bytes: new Uint8Array(), parts };
  }
  const bytes = decodeBody(body, headers.get("content-transfer-encoding") ?? "");
  return { headers, type, parameters, bytes, parts: [] };
}

function headersOf(head: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    if (!headers.has(name)) headers.set(name, utf8Header(line.slice(colon + 1).trim()));
  }
  return headers;
}

/** Headers may be UTF-8 (RFC 6532). */
function utf8Header(latin1: string): string {
  if (!/[\u0080-\u00ff]/.test(latin1)) return latin1;
  return new TextDecoder().decode(Buffer.from(latin1, "latin1"));
}

function piecesOf(body: string, boundary: string): string[] {
  const lines = new RegExp(
    `(?:^|\\r?\\n)--${boundary.replace(/[^\w]/g, "\\$&")}(--)?[ \\t]*(?:\\r?\\n|$)`,
    "g",
  );
  const pieces: string[] = [];
  let from: number | undefined;
  for (const found of body.matchAll(lines)) {
    if (from !== undefined) pieces.push(body.slice(from, found.index));
    if (found[1] !== undefined) return pieces;
    from = found.index + found[0].length;
  }
  if (from !== undefined) pieces.push(body.slice(from));
  return pieces;
}

function decodeBody(body: string, encoding: string): Uint8Array {
  const name = encoding.trim().toLowerCase();
  if (name === "base64") return new Uint8Array(Buffer.from(body, "base64"));
  if (name !== "quoted-printable") return new Uint8Array(Buffer.from(body, "latin1"));
  return new Uint8Array(Buffer.from(unquote(body.replace(/[ \t]*=[ \t]*\r?\n/g, "")), "latin1"));
}

const unquote = (text: string) =>
  text.replace(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

/** A header's value and its parameters, also those in pieces and with a charset (RFC 2231). */
export function readParameters(header: string): { value: string; parameters: ReadonlyMap<string, string> } {
  const [value = ""] = header.split(";", 1);
  const pieces = new Map<string, string>();
  for (const [, key = "", quoted, plain] of header
    .slice(value.length)
    .matchAll(/;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g)) {
    const [name = "", ...stars] = key.toLowerCase().split("*");
    const text = quoted?.replace(/\\(.)/g, "$1") ?? plain?.trim() ?? "";
    pieces.set(
      name,
      (pieces.get(name) ?? "") + (stars.length > 0 && key.endsWith("*") ? extended(text) : text),
    );
  }
  return { value: value.trim(), parameters: pieces };
}

function extended(text: string): string {
  const [, charset = "utf-8", rest = text] = /^([^']*)'[^']*'(.*)$/.exec(text) ?? [];
  const bytes = Buffer.from(
    rest.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  return decodeLoosely(bytes, charset);
}

/** A header with encoded words (RFC 2047) as text. */
export function decodeHeader(header: string): string {
  const joined = header.replace(/(\?=)\s+(?==\?)/g, "$1");
  return joined.replace(/=\?([^?*\s]+)(?:\*[^?]*)?\?([bq])\?([^?]*)\?=/gi, (_, charset, encoding, text) => {
    const isBase64 = encoding.toLowerCase() === "b";
    const bytes = isBase64
      ? Buffer.from(text, "base64")
      : Buffer.from(unquote(text.replaceAll("_", " ")), "latin1");
    return decodeLoosely(bytes, charset);
  });
}

/** Text in a charset; an unknown one counts as windows-1252. */
function decodeLoosely(bytes: Uint8Array, label: string): string {
  const charset = findCharset(label);
  return charset === undefined ? new TextDecoder("windows-1252").decode(bytes) : charset.decode(bytes, false);
}
