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
