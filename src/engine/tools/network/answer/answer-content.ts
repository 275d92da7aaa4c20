import { countSteps, type Work } from "../../../../kit/concurrency/others-turn.ts";
import { readMediaType } from "../../../../kit/fetch/media-type.ts";
import { decodeBody } from "../../../../kit/html/decode-body.ts";
import { defaultJsonLimits, readStrictJson } from "../../../../kit/json/strict-json.ts";
import { charsetOfEscapes } from "../../../../kit/text/charsets.ts";
import type { NetworkAnswer } from "../guarded-network.ts";

/** Content of an answer: JSON, text, or binary. */
export type AnswerContent =
  | { json: unknown }
  | { text: string }
  | { binary: { type: string; bytes: number } };

/** A result is copied, masked, recorded and written as JSON: of a hundred thousand values each takes 10 ms. */
const limits = { ...defaultJsonLimits, valuesMax: 100_000 };

/** Reads a body by its content type; what calls itself JSON and is none, or more than can be trusted, is text. */
export function* contentOf({ body, headers }: Pick<NetworkAnswer, "body" | "headers">): Work<AnswerContent> {
  const header = headers.get("content-type") ?? "";
  const type = header.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (body.byteLength === 0) return { text: "" };
  if (!isTextual(type) && !looksLikeText(body)) {
    return { binary: { type: /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "unknown", bytes: body.byteLength } };
  }
  const text = decodeText(body, header);
  if (countSteps(text.length >> 2)) yield;
  if (!/[/+]json$/.test(type)) return { text };
  try {
    return { json: yield* readStrictJson(text, limits) };
  } catch {
    return { text };
  }
}

/** Decodes a body with the charset of its byte order mark, content type or escape sequences; invalid bytes become U+FFFD. */
export function decodeText(body: Uint8Array, contentType: string): string {
  const text = decodeBody(
    body,
    readMediaType(contentType)?.charset ?? charsetOfEscapes(body) ?? "utf-8",
    false,
  );
  // Databases can't store NUL in text.
  return text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;
}

function isTextual(type: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml)$|\/(?:javascript|ecmascript|x-www-form-urlencoded|x-yaml|x-ndjson|jsonl|sql|graphql)$/.test(
    type,
  );
}

const sniffedBytes = 4096;

/** Returns true if a body of another type is text: its first bytes are UTF-8 without NUL. */
function looksLikeText(body: Uint8Array): boolean {
  const start = body.subarray(0, sniffedBytes);
  if (start.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Headers of an answer that are useful to a model, without cookies and server identification. */
const visibleHeaders: ReadonlySet<string> = new Set([
  "allow",
  "cache-control",
  "content-disposition",
  "content-language",
  "content-range",
  "content-type",
  "date",
  "etag",
  "expires",
  "last-modified",
  "link",
  "location",
  "retry-after",
  "www-authenticate",
  "x-request-id",
  "x-total-count",
]);

const charsMax = 1024;

/** Headers of an answer for a tool's result, by lower-case name. */
export function shownHeaders(headers: Headers): Record<string, string> {
  const picked = [...headers].filter(
    ([name]) => visibleHeaders.has(name) || /^(?:x-)?ratelimit-?/.test(name),
  );
  return Object.fromEntries(picked.map(([name, value]) => [name, value.slice(0, charsMax)]));
}
