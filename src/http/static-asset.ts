import { brotliDecompressSync, gzipSync } from "node:zlib";

/** Content encoding of a file. */
type Encoding = "br" | "gzip" | "identity";

/** A file that is sent again and again, as stored. */
export interface StoredAsset {
  type: string;
  encoding: "br" | "identity";
  bytes: Uint8Array<ArrayBuffer>;
}

/** Answers GET and HEAD requests for one file, in the encoding that the caller prefers, with an ETag of the file's hash. */
export interface StaticAsset {
  /** `headers` are those of every answer: who may load it, and how long it may be kept. */
  answer(request: Request, headers: Readonly<Record<string, string>>): Response;
}

export function staticAsset({ type, encoding: stored, bytes }: StoredAsset): StaticAsset {
  const tag = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 16);
  // Nearly every browser accepts brotli. Other encodings are created at their first use.
  const made = new Map<Encoding, Uint8Array<ArrayBuffer>>([[stored, bytes]]);
  const make = (encoding: Encoding): Uint8Array<ArrayBuffer> => {
    const plain = stored === "br" ? new Uint8Array(brotliDecompressSync(bytes)) : bytes;
    return encoding === "gzip" ? new Uint8Array(gzipSync(plain)) : plain;
  };
  const bytesIn = (encoding: Encoding) => {
    const encodedAsset = made.get(encoding) ?? make(encoding);
    made.set(encoding, encodedAsset);
    return encodedAsset;
  };
  const bestFor = (accepted: ReadonlySet<string>): Encoding => {
    if (stored === "br" && accepted.has("br")) return "br";
    return accepted.has("gzip") ? "gzip" : "identity";
  };
  return {
    answer(request, common) {
      const encoding = bestFor(acceptedEncodings(request.headers.get("accept-encoding")));
      const etag = `"${tag}-${encoding}"`;
      const headers: Record<string, string> = {
        etag,
        vary: "accept-encoding",
        "x-content-type-options": "nosniff",
        ...common,
      };
      if (isKnown(request.headers.get("if-none-match"), etag))
        return new Response(null, { status: 304, headers });
      headers["content-type"] = type;
      if (encoding !== "identity") headers["content-encoding"] = encoding;
      const body = bytesIn(encoding);
      if (request.method !== "HEAD") return new Response(body, { headers });
      return new Response(null, { headers: { ...headers, "content-length": String(body.byteLength) } });
    },
  };
}

/** Returns the encodings of an `Accept-Encoding` header, except those refused by `q=0`. */
function acceptedEncodings(header: string | null): ReadonlySet<string> {
  const accepted = new Set<string>();
  for (const part of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    if (!parameters.some((text) => /^q=0(\.0*)?$/.test(text))) accepted.add(name);
  }
  return accepted;
}

function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((sent) => sent.trim() === "*" || sent.trim().replace(/^W\//, "") === etag);
}
