import { bodyTooLarge } from "../network-error.ts";

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

const codings: Readonly<Record<string, "gzip" | "brotli" | "zstd" | "deflate">> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  br: "brotli",
  zstd: "zstd",
  deflate: "deflate",
};

/** Maximum nested codings; more are a decompression bomb. */
const codingsMax = 3;

type Bytes = Uint8Array<ArrayBuffer>;

/** The codings to undo, the last applied first. Unknown names are ignored, as in browsers. */
function codingsOf(response: Response): (keyof typeof codings)[] {
  const header = response.headers.get("content-encoding");
  if (header === null) return [];
  const names = header.split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => Object.hasOwn(codings, name)).reverse();
}

/** Returns true if a body is not encoded. */
export function isPlain(response: Response): boolean {
  return codingsOf(response).length === 0;
}

/** The decoded body, decompressed only as far as it is read. */
export async function unpackBody(response: Response): Promise<ReadableStream<Bytes> | null> {
  const names = codingsOf(response);
  if (names.length > codingsMax) {
    await response.body?.cancel();
    throw Object.assign(new Error("too many codings"), { code: "ContentEncoding" });
  }
  let body = response.body as ReadableStream<Bytes> | null;
  for (const name of names) body = body && (await unpack(body, codings[name]));
  return body;
}

async function unpack(
  packed: ReadableStream<Bytes>,
  coding: (typeof codings)[string] | undefined,
): Promise<ReadableStream<Bytes>> {
  const reader = packed.getReader();
  let first = await reader.read();
  while (!first.done && first.value.byteLength === 0) first = await reader.read();
  // An empty body, as for HEAD, has no compressed data at all.
  if (first.done) return new Blob([]).stream() as ReadableStream<Bytes>;
  const start = first.value;
  let sent = false;
  const whole = new ReadableStream<Bytes>({
    async pull(controller) {
      if (!sent) {
        sent = true;
        return controller.enqueue(start);
      }
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const format = coding === "deflate" && !hasZlibHead(start) ? "deflate-raw" : coding;
  return whole.pipeThrough(new DecompressionStream(format as CompressionFormat));
}

/** Some servers send raw deflate data under that name. */
function hasZlibHead(bytes: Bytes): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 15) === 8 && (bytes.length < 2 || (method * 256 + flags) % 31 === 0);
}
