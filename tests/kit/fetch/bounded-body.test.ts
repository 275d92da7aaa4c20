import { describe, expect, test } from "bun:test";
import { readBounded } from "../../../src/kit/fetch/bounded-body.ts";
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
