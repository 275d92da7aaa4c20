import { describe, expect, test } from "bun:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from "node:zlib";
import { createAssetAnswers } from "../../../../src/services/console/assets/asset-answers.ts";
import type { BundledFile, ConsoleBundle } from "../../../../src/services/console/assets/console-bundle.ts";
import { packBundle, readPackedBundle } from "../../../../src/services/console/assets/packed-bundle.ts";

const script = `console.log(${JSON.stringify("x".repeat(2000))})`;
const brotli = new Uint8Array(brotliCompressSync(script));
const style = "body { color: red }";

const file = (path: string, type: string, bytes: Uint8Array<ArrayBuffer>): BundledFile => ({
  path,
  type,
  encoding: "br",
  bytes,
});

const bundle: ConsoleBundle = {
  files: [
    file("assets/main-1.js", "text/javascript; charset=utf-8", brotli),
    file("assets/style-1.css", "text/css; charset=utf-8", new Uint8Array(brotliCompressSync(style))),
  ],
  style: "assets/style-1.css",
  starts: {
    en: { script: "assets/main-1.js", preload: [] },
    es: { script: "assets/main-1.js", preload: [] },
  },
};

const load = async () => bundle;
const answers = createAssetAnswers({ latest: load, current: load });

async function ask(headers: Record<string, string>, method = "GET", path = "assets/main-1.js") {
  const response = await answers(new Request("http://localhost/", { method, headers }), path);
  if (response === undefined) throw new Error(`${path} is not there`);
  return { response, bytes: await response.bytes(), encoding: response.headers.get("content-encoding") };
}

describe("a file of the console", () => {
  test("goes out as it is stored to who takes brotli", async () => {
    const { response, bytes, encoding } = await ask({ "accept-encoding": "gzip, deflate, br, zstd" });
    expect(encoding).toBe("br");
    expect(Buffer.from(bytes).equals(Buffer.from(brotli))).toBe(true);
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("vary")).toBe("accept-encoding");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("goes out by gzip, or plain, to others", async () => {
    const zipped = await ask({ "accept-encoding": "gzip, br;q=0" });
    expect(zipped.encoding).toBe("gzip");
    expect(gunzipSync(zipped.bytes).toString()).toBe(script);
    for (const accepted of ["identity", "", "br;q=0.0, gzip;q=0", "deflate"]) {
      const plain = await ask({ "accept-encoding": accepted });
      expect(plain.encoding).toBeNull();
      expect(new TextDecoder().decode(plain.bytes)).toBe(script);
    }
  });

  test("has a tag for each of its forms, by which a browser asks again for nothing", async () => {
    const tags = new Set<string>();
    for (const accepted of ["br", "gzip", "identity"]) {
      const first = await ask({ "accept-encoding": accepted });
      const etag = first.response.headers.get("etag") ?? "";
      tags.add(etag);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const again = await ask({ "accept-encoding": accepted, "if-none-match": known });
        expect([again.response.status, again.bytes.byteLength]).toEqual([304, 0]);
        expect(again.response.headers.get("etag")).toBe(etag);
      }
      const other = await ask({ "accept-encoding": accepted, "if-none-match": '"other"' });
      expect(other.response.status).toBe(200);
    }
    expect(tags.size).toBe(3);
  });

  test("HEAD tells its length", async () => {
    const { response, bytes } = await ask({ "accept-encoding": "br" }, "HEAD");
    expect(bytes.byteLength).toBe(0);
    expect(response.headers.get("content-length")).toBe(String(brotli.byteLength));
  });

  test.each([
    "assets/nope.js",
    "assets/",
    "assets",
    "console.json",
    "assets/../assets/main-1.js",
    "constructor",
  ])("%s is none", async (path) => {
    expect(await answers(new Request("http://localhost/"), path)).toBeUndefined();
  });
});

test("a console that was packed comes out as it went in", () => {
  const read = readPackedBundle(packBundle(bundle));
  expect(read).toEqual(bundle);
  expect(brotliDecompressSync(read.files[1]?.bytes ?? "").toString()).toBe(style);
});
