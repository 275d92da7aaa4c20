import { describe, expect, test } from "bun:test";
import { readBounded, readShortText } from "../../../src/kit/fetch/bounded-body.ts";
import { settle } from "../../support/fake-clock.ts";

const url = "http://peer.internal/";

/** A body of `chunks` times 4 bytes that counts its reads and records its cancellation. */
function countedBody(chunks: number) {
  const seen = { pulls: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (seen.pulls++ < chunks) controller.enqueue(new TextEncoder().encode("abcd"));
        else controller.close();
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, seen };
}

describe("readBounded", () => {
  test.each([
    ["no body", new Response(null), ""],
    ["a text", new Response("héllo"), "héllo"],
    ["a request", new Request(url, { method: "POST", body: "exactly ten" }), "exactly ten"],
    ["a stream", new Response(countedBody(3).body), "abcdabcdabcd"],
  ])("reads %s", async (_name, source, expected) => {
    expect(new TextDecoder().decode(await readBounded(source, 12))).toBe(expected);
  });

  test("stops at the chunk that crosses the limit and cancels the rest", async () => {
    const { body, seen } = countedBody(1000);
    const reading = readBounded(new Response(body), 10);
    await expect(reading).rejects.toMatchObject({ kind: "too_large", code: "body_too_large" });
    expect(seen).toEqual({ pulls: 3, cancelled: true });
  });

  test("refuses by Content-Length before a byte is read", async () => {
    const { body, seen } = countedBody(1000);
    const source = new Response(body, { headers: { "Content-Length": "11" } });
    await expect(readBounded(source, 10)).rejects.toMatchObject({ code: "body_too_large" });
    expect(seen).toEqual({ pulls: 0, cancelled: true });
  });

  test("a request that declares less than it has is refused", async () => {
    const source = new Request(url, {
      method: "POST",
      body: "x".repeat(11),
      headers: { "Content-Length": "5" },
    });
    await expect(readBounded(source, 10)).rejects.toMatchObject({ code: "body_too_large" });
  });

  test("a response that unpacks to more than it declares is refused", async () => {
    const packed = Bun.gzipSync(new Uint8Array(100_000));
    const server = Bun.serve({
      port: 0,
      fetch: () => new Response(packed, { headers: { "Content-Encoding": "gzip" } }),
    });
    try {
      const response = await fetch(server.url);
      expect(Number(response.headers.get("content-length") ?? 0)).toBeLessThan(10_000);
      await expect(readBounded(response, 10_000)).rejects.toMatchObject({ code: "body_too_large" });
    } finally {
      await server.stop(true);
    }
  });

  test("an abort rejects with its reason and cancels the body", async () => {
    let cancelled = false;
    const silent = new ReadableStream<Uint8Array>({
      cancel() {
        cancelled = true;
      },
    });
    const controller = new AbortController();
    const reading = readBounded(new Response(silent), 10, controller.signal).catch(
      (thrown: unknown) => thrown,
    );
    await settle();
    controller.abort("enough");
    expect([await reading, cancelled]).toEqual(["enough", true]);
  });

  test("a request over the network is read with and without a declared length", async () => {
    const server = Bun.serve({
      port: 0,
      fetch: async (request) =>
        readBounded(request, 10).then(
          (bytes) => new Response(String(bytes.length)),
          (thrown: { code: string }) => new Response(thrown.code, { status: 413 }),
        ),
    });
    const answer = async (body: string | ReadableStream) =>
      (await fetch(server.url, { method: "POST", body })).text();
    try {
      expect(await answer("x".repeat(10))).toBe("10");
      expect(await answer("x".repeat(11))).toBe("body_too_large");
      expect(await answer(countedBody(2).body)).toBe("8");
      expect(await answer(countedBody(3).body)).toBe("body_too_large");
    } finally {
      await server.stop(true);
    }
  });
});

describe("readShortText", () => {
  /** Reads the answer of a server that says how long it is, or does not. */
  async function read(answer: () => Response, bytesMax = 100): Promise<string | undefined> {
    using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
    const response = await fetch(server.url);
    const text = await readShortText(response, bytesMax);
    if (text === undefined) await response.body?.cancel();
    return text;
  }

  test("reads a text as a decoder would", async () => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x68, 0xc3, 0xa9, 0xff]);
    expect(await read(() => new Response(bytes))).toBe(new TextDecoder().decode(bytes));
  });

  test("leaves what is too long, compressed or of unknown length", async () => {
    expect(await read(() => new Response("x".repeat(101)))).toBeUndefined();
    expect(await read(() => new Response("x".repeat(100_000)), 1_000_000)).toBeUndefined();
    // A server declares the length of a body that is complete when it answers.
    const { promise: wasRead, resolve: end } = Promise.withResolvers<void>();
    const inPieces = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode("abcd"));
        await wasRead;
        controller.close();
      },
    });
    expect(await read(() => new Response(inPieces))).toBeUndefined();
    end();
    const headers = { "content-encoding": "gzip" };
    expect(await read(() => new Response(Bun.gzipSync("x".repeat(1000)), { headers }))).toBeUndefined();
  });

  test("does not trust the length that a response of this process declares", () => {
    const headers = { "content-length": "4" };
    expect(readShortText(new Response(countedBody(9).body, { headers }), 10)).toBeUndefined();
  });
});
