import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AppError } from "../../../src/kit/app-error.ts";
import { encodeSse, readSse } from "../../../src/kit/fetch/sse.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function streamOf(...chunks: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(typeof chunk === "string" ? bytes(chunk) : chunk);
      controller.close();
    },
  });
}

const data = async (...chunks: (string | Uint8Array)[]) =>
  (await Array.fromAsync(readSse(streamOf(...chunks)))).flat();

test("what encodeSse writes is what readSse reads, however the bytes are cut", async () => {
  const message = fc.record({
    event: fc.constantFrom("message", "token", "done"),
    data: fc.string({ unit: fc.constantFrom("a", "é", "€", "🙂", ":", " ", "\n") }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      fc.constantFrom("\n", "\r", "\r\n"),
      async (messages, sizes, lineEnd) => {
        const whole = bytes(messages.map(encodeSse).join("").replaceAll("\n", lineEnd));
        const chunks: Uint8Array[] = [];
        for (let at = 0, i = 0; at < whole.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          chunks.push(whole.subarray(at, at + size));
          at += size;
        }
        expect(await data(...chunks)).toEqual(messages.map((message) => message.data));
      },
    ),
  );
});

describe("encodeSse", () => {
  test("writes name, id and every line of the data", () => {
    expect(encodeSse({ event: "token", id: "7", data: "a\r\nb\n\nc" })).toBe(
      "event: token\nid: 7\ndata: a\ndata: b\ndata: \ndata: c\n\n",
    );
  });

  test("a line break in a name or an id can't add a field", () => {
    expect(encodeSse({ event: "a\ndata: forged", id: "1\r2", data: "" })).toBe(
      "event: a data: forged\nid: 1 2\ndata: \n\n",
    );
  });
});

describe("readSse", () => {
  const cases: [name: string, text: string, expected: string[]][] = [
    ["one space after the colon is dropped", "data:a\n\ndata: b\n\ndata:  c\n\n", ["a", "b", " c"]],
    [
      "comments, ids, retry times and unknown fields are passed over",
      ": ping\nid: 1\nretry: 5\nx: y\ndata: a\n\n",
      ["a"],
    ],
    ["lines of data are joined", "data: a\ndata: b\n\n", ["a\nb"]],
    ["a field without colon is empty", "data\n\ndata\ndata\n\n", ["", "\n"]],
    ["an event without data is none", "event: ping\n\ndata: a\n\n", ["a"]],
    ["the last event needs no empty line", "data: a\n\ndata: [DONE]", ["a", "[DONE]"]],
    ["a byte order mark at the start is skipped", "\ufeffdata: a\n\n", ["a"]],
    ["a stream without an event", ": nothing\n\n", []],
  ];
  test.each(cases)("%s", async (_name, text, expected) => {
    expect(await data(text)).toEqual(expected);
  });

  test("yields per chunk the events that it completes, also none: each is a sign of life", async () => {
    const batches = readSse(streamOf("data: a\n\ndata: b\n\nda", "ta: c", "\n", "\ndata: d\n\n"));
    expect(await Array.fromAsync(batches)).toEqual([["a", "b"], [], [], ["c", "d"]]);
    expect(await Array.fromAsync(readSse(streamOf(": still here\n\n")))).toEqual([[]]);
  });

  test("a CR at the end of a chunk completes the event before the next chunk comes", async () => {
    const batches = readSse(streamOf("data: a\r\r", "\ndata: b\r\n\r", "\n"));
    expect(await Array.fromAsync(batches)).toEqual([["a"], ["b"], []]);
  });

  test("the name of an event is passed over", async () => {
    expect(await data("event: token\ndata: a\n\ndata: b\n\n")).toEqual(["a", "b"]);
  });

  test("invalid UTF-8 is replaced", async () => {
    expect(await data(new Uint8Array([...bytes("data: a"), 0xff, 0x0a, 0x0a]))).toEqual(["a\ufffd"]);
  });

  test.each([
    ["one line", "data: x", "x".repeat(64 * 1024)],
    ["many lines", "", `data: ${"x".repeat(64 * 1024)}\n`],
  ])("an event of more than 1 MiB in %s is refused, and its body cancelled", async (_name, first, next) => {
    let cancelled = false;
    let pulls = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(bytes(pulls++ === 0 ? first + next : next));
      },
      cancel() {
        cancelled = true;
      },
    });
    const reading = Array.fromAsync(readSse(endless));
    expect(await reading.catch((thrown: unknown) => thrown)).toMatchObject({
      kind: "upstream_failed",
      code: "stream_event_too_long",
    } satisfies Partial<AppError>);
    expect(cancelled).toBeTrue();
    expect(pulls).toBeLessThan(20);
  });

  test("stopping early closes the connection to the server", async () => {
    const closed = Promise.withResolvers<void>();
    const server = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              controller.enqueue(bytes("data: tick\n\n"));
              await new Promise((resolve) => setImmediate(resolve));
            },
            cancel: () => closed.resolve(),
          }),
        ),
    });
    try {
      const { body } = await fetch(server.url);
      if (body === null) throw new Error("no body");
      for await (const batch of readSse(body)) {
        expect(batch[0]).toBe("tick");
        break;
      }
      await closed.promise;
    } finally {
      await server.stop(true);
    }
  });

  test("a body that fails fails the reading", async () => {
    const failing = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.error(new Error("cut"));
      },
    });
    await expect(Array.fromAsync(readSse(failing))).rejects.toThrow("cut");
  });
});
