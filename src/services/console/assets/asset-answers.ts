import { brotliDecompressSync, gzipSync } from "node:zlib";
import type { BundledFile, BundleSource, ConsoleBundle } from "./console-bundle.ts";

/** Content encoding of a file. */
type Encoding = "br" | "gzip" | "identity";

interface Asset {
  type: string;
  etag(encoding: Encoding): string;
  best(accepted: ReadonlySet<string>): Encoding;
  bytes(encoding: Encoding): Uint8Array<ArrayBuffer>;
}

/** The file names change with their contents. */
const forever = "public, max-age=31536000, immutable";

/** Answers GET and HEAD requests for `/console/assets/…`; undefined if there is no such file. */
export function createAssetAnswers(bundles: BundleSource) {
  let known: { bundle: ConsoleBundle; assets: ReadonlyMap<string, Asset> } | undefined;
  return async (request: Request, path: string): Promise<Response | undefined> => {
    const bundle = await bundles.current();
    if (known?.bundle !== bundle) {
      known = { bundle, assets: new Map(bundle.files.map((file) => [file.path, assetOf(file)])) };
    }
    const asset = known.assets.get(path);
    return asset && answer(request, asset);
  };
}

function answer(request: Request, asset: Asset): Response {
  const encoding = asset.best(acceptedEncodings(request.headers.get("accept-encoding")));
  const etag = asset.etag(encoding);
  const headers: Record<string, string> = {
    etag,
    vary: "accept-encoding",
    "cache-control": forever,
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  };
  if (isKnown(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  headers["content-type"] = asset.type;
  if (encoding !== "identity") headers["content-encoding"] = encoding;
  const bytes = asset.bytes(encoding);
  if (request.method !== "HEAD") return new Response(bytes, { headers });
  return new Response(null, { headers: { ...headers, "content-length": String(bytes.byteLength) } });
}

function assetOf({ type, encoding: stored, bytes }: BundledFile): Asset {
  const tag = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 16);
  // Nearly every browser accepts brotli. Other encodings are created at their first use.
  const made = new Map<Encoding, Uint8Array<ArrayBuffer>>([[stored, bytes]]);
  const make = (encoding: Encoding): Uint8Array<ArrayBuffer> => {
    const plain = stored === "br" ? new Uint8Array(brotliDecompressSync(bytes)) : bytes;
    return encoding === "gzip" ? new Uint8Array(gzipSync(plain)) : plain;
  };
  return {
    type,
    etag: (encoding) => `"${tag}-${encoding}"`,
    best(accepted) {
      if (stored === "br" && accepted.has("br")) return "br";
      return accepted.has("gzip") ? "gzip" : "identity";
    },
    bytes(encoding) {
      const found = made.get(encoding) ?? make(encoding);
      made.set(encoding, found);
      return found;
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
