import { AppError } from "../kit/app-error.ts";
import { readBounded } from "../kit/bounded-body.ts";
import { parseStrictJson } from "../kit/strict-json.ts";

/** The most a body may have unless its route says otherwise. */
export const bodyBytesDefault = 1024 * 1024;

/** The bytes of a request's body, undefined when it has none; AppError when it has more than `bytesMax` or is encoded. */
export async function readBody(request: Request, bytesMax: number): Promise<Uint8Array | undefined> {
  requireIdentityEncoding(request.headers);
  const declared = request.headers.get("content-length");
  // Bun reads a body of known length in one piece, far cheaper than chunk by chunk; its server holds it to that length.
  if (declared !== null && Number(declared) <= bytesMax) {
    return declared === "0" ? undefined : request.bytes();
  }
  if (request.body === null) return undefined;
  return readBounded(request, bytesMax, request.signal);
}

/** The JSON object or array in a request's body, undefined when there is no body. */
export async function readJson(request: Request, bytesMax: number): Promise<object | undefined> {
  requireDeclaredJson(request.headers);
  const bytes = await readBody(request, bytesMax);
  if (bytes === undefined) return undefined;
  const value = parseStrictJson(bytes);
  if (typeof value === "object" && value !== null) return value;
  throw new AppError("invalid", "invalid_request", "The body must be a JSON object.");
}

/** An encoded body could grow a thousandfold after the size was checked. */
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
 * A page can make a browser send a form or plain text anywhere without asking first, but never JSON: so what comes from
 * a browser must say that it is JSON. Anything else may send JSON under whatever name.
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
