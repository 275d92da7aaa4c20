import { AppError } from "../app-error.ts";
import { countSteps, type Work } from "../concurrency/others-turn.ts";
import { type JsonLimits, JsonReader } from "./json-reader.ts";

export const defaultJsonLimits: JsonLimits = { depthMax: 64, keysMax: 10_000 };

/**
 * Parses a JSON text. Throws AppError `invalid` for anything that two readers could understand differently or that cannot be stored:
 * - `number_not_representable`: a number that would change its value;
 * - `invalid_request`: malformed text, invalid UTF-8, a byte order mark, duplicate keys, a `__proto__` key, NUL, lone surrogates, too much
 * depth, too many keys.
 */
export function parseStrictJson(
  source: Uint8Array | string,
  limits: JsonLimits = defaultJsonLimits,
): unknown {
  return parseCounted(source, limits).value;
}

/** `parseStrictJson`, with how many values there are, those inside others counted. */
export function parseCounted(
  source: Uint8Array | string,
  limits: JsonLimits,
): { value: unknown; values: number } {
  const reader = readerOf(source, limits);
  while (!reader.isAtEnd) countSteps(reader.readOn());
  return { value: reader.result, values: reader.values };
}

/** `parseStrictJson` as work in pieces, for requests, which may have many values. */
export function* readStrictJson(
  source: Uint8Array | string,
  limits: JsonLimits = defaultJsonLimits,
): Work<unknown> {
  const reader = readerOf(source, limits);
  while (!reader.isAtEnd) if (countSteps(reader.readOn()) && !reader.isAtEnd) yield;
  return reader.result;
}

function readerOf(source: Uint8Array | string, limits: JsonLimits): JsonReader {
  const text = typeof source === "string" ? source : decodeUtf8(source);
  if (typeof source === "string" && !source.isWellFormed()) {
    throw new AppError("invalid", "invalid_request", "The JSON text holds half of a surrogate pair.");
  }
  return new JsonReader(text, limits);
}

function decodeUtf8(bytes: Uint8Array): string {
  const text = tryDecode(bytes, false);
  if (text !== undefined) return text;
  throw new AppError(
    "invalid",
    "invalid_request",
    `The JSON text is not valid UTF-8 (after byte ${validBytes(bytes)}).`,
  );
}

/** Returns the length of the longest prefix that decodes, by binary search. */
function validBytes(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1;
    if (tryDecode(bytes.subarray(0, middle), true) === undefined) invalid = middle;
    else valid = middle;
  }
  return valid;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function tryDecode(bytes: Uint8Array, isPrefix: boolean): string | undefined {
  try {
    // A prefix may end inside a character. A decoder keeps what it has of one, so each prefix gets its own.
    if (isPrefix)
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
