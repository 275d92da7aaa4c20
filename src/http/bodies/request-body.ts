import { AppError } from "../../kit/app-error.ts";
import { inPieces } from "../../kit/concurrency/others-turn.ts";
import { readBounded } from "../../kit/fetch/bounded-body.ts";
import { readStrictJson } from "../../kit/json/strict-json.ts";
import { type Call, linger } from "../call.ts";
import type { HeldBody } from "./body-budget.ts";

/** Default limit for a body, in bytes. */
export const bodyBytesDefault = 1024 * 1024;

/** Parts of the call that reading a body needs. */
export type BodyCall = Pick<Call, "bodies" | "connection">;

/** A body of known length up to this is read in one piece. That is far cheaper, and its length is counted before it has arrived. */
const wholeBytesMax = 16 * 1024;

/**
 * Returns the bytes of a request's body, or undefined if it has none. Throws AppError if the body has more than `bytesMax` bytes, is
 * encoded, or there is no room among all the bodies that are being received.
 */
export async function readBody(
  request: Request,
  bytesMax: number,
  call: BodyCall,
): Promise<Uint8Array | undefined> {
  const { bodies } = call;
  requireIdentityEncoding(request.headers);
  const declared = request.headers.get("content-length");
  if (declared === "0") return undefined;
  const isShort = declared !== null && Number(declared) <= Math.min(bytesMax, wholeBytesMax);
  // The body of a request from this process is already in memory.
  if (bodies === undefined) return isShort ? request.bytes() : readLong(request, bytesMax, request.signal);
  let begun: HeldBody | undefined;
  try {
    const share = bodies.begin(Math.min(Number(declared ?? 0), bytesMax));
    begun = share;
    if (isShort) {
      share.take(Number(declared));
      return await request.bytes();
    }
    const signal = AbortSignal.any([request.signal, share.signal]);
    return await readLong(request, bytesMax, signal, (bytes) => share.take(bytes));
  } catch (thrown) {
    // The server must not wait for ever for the rest of the body.
    linger(call, request);
    throw thrown;
  } finally {
    begun?.end();
  }
}

async function readLong(
  request: Request,
  bytesMax: number,
  signal: AbortSignal,
  arrived?: (bytes: number) => void,
): Promise<Uint8Array | undefined> {
  return request.body === null ? undefined : readBounded(request, bytesMax, signal, arrived);
}

/** Returns the JSON object or array in a request's body, or undefined if there is no body. */
export async function readJson(
  request: Request,
  bytesMax: number,
  call: BodyCall,
): Promise<object | undefined> {
  requireDeclaredJson(request.headers);
  const bytes = await readBody(request, bytesMax, call);
  if (bytes === undefined) return undefined;
  const reading = parsed(bytes, request);
  return reading instanceof Promise ? requireObject(await reading) : requireObject(reading);
}

const parsed = (bytes: Uint8Array, { signal }: Request) => inPieces(readStrictJson(bytes), signal);

function requireObject(value: unknown): object {
  if (typeof value === "object" && value !== null) return value;
  throw new AppError("invalid", "invalid_request", "The body must be a JSON object.");
}

/** Like `readJson`, with the number of the body's bytes. */
export async function readSizedJson(
  request: Request,
  bytesMax: number,
  call: BodyCall,
): Promise<{ body: object | undefined; bytes: number }> {
  requireDeclaredJson(request.headers);
  const bytes = await readBody(request, bytesMax, call);
  if (bytes === undefined) return { body: undefined, bytes: 0 };
  return { body: requireObject(await parsed(bytes, request)), bytes: bytes.length };
}

/** Refuses an encoded body, which could grow a thousandfold after the size check. */
function requireIdentityEncoding(headers: Headers): void {
  const encoding = headers.get("content-encoding");
  if (encoding === null || encoding.toLowerCase() === "identity") return;
  throw new AppError(
    "unsupported",
    "unsupported_media_type",
    "The body must be sent without Content-Encoding.",
  );
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * Requires a JSON content type from browsers. A page can make a browser send a form or plain text anywhere without a preflight request, but
 * never JSON. Other clients may send JSON under any content type.
 */
function requireDeclaredJson(headers: Headers): void {
  if (!headers.has("origin") && !headers.has("sec-fetch-site")) return;
  const type = headers.get("content-type");
  if (type === null ? !hasBody(headers) : jsonType.test(type)) return;
  throw new AppError(
    "unsupported",
    "unsupported_media_type",
    "The body must be declared as application/json.",
  );
}

function hasBody(headers: Headers): boolean {
  return headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
}
