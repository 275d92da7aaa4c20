import { bodyTooLarge } from "../network-error.ts";
import { isPlain, unpackBody } from "./unpack-body.ts";

export interface BodyBounds {
  bytesMax: number;
  whenLonger: "refuse" | "cut";
}

/** Reads a decoded body up to its limit and cancels the rest. */
export async function readBody(
  response: Response,
  { bytesMax, whenLonger }: BodyBounds,
): Promise<{ body: Uint8Array; wasCut: boolean }> {
  const declared = declaredBytes(response);
  // A body with a declared length can't be longer, so it is read at once.
  if (declared !== undefined && declared <= bytesMax) {
    return { body: await response.bytes(), wasCut: false };
  }
  if (declared !== undefined && whenLonger === "refuse") {
    await response.body?.cancel();
    throw bodyTooLarge(bytesMax);
  }
  const stream = await unpackBody(response);
  if (stream === null) return { body: new Uint8Array(), wasCut: false };
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { body: joined(chunks, length), wasCut: false };
    chunks.push(value);
    length += value.byteLength;
    if (length <= bytesMax) continue;
    reader.cancel().catch(() => undefined);
    if (whenLonger === "refuse") throw bodyTooLarge(bytesMax);
    return { body: joined(chunks, bytesMax), wasCut: true };
  }
}

/** Length of the decoded body, if the headers declare it. */
function declaredBytes(response: Response): number | undefined {
  const { headers } = response;
  const length = headers.get("content-length");
  if (length === null || headers.has("transfer-encoding") || !isPlain(response)) return undefined;
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, length - at), at);
    at += chunk.byteLength;
  }
  return bytes;
}
