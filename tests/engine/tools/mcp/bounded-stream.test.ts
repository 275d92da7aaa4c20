import { expect, test } from "bun:test";
import { boundedBody, boundedEvents } from "../../../../src/engine/tools/mcp/http/bounded-stream.ts";

const mib = 1024 ** 2;

function streamOf(...pieces: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
}

function watched() {
  const seen = { ended: 0, resumable: 0 };
  return { seen, watch: { ended: () => seen.ended++, resumable: () => seen.resumable++ } };
}

test("a body within the bound passes as it is, a longer one fails", async () => {
  expect(await new Response(boundedBody(streamOf("one ", "two"))).text()).toBe("one two");
  const long = boundedBody(streamOf(...Array.from({ length: 5 }, () => "x".repeat(mib))));
  await expect(new Response(long).text()).rejects.toMatchObject({ code: "mcp_too_large" });
});

test.each(["\n", "\r\n", "\r"])("events that end in %j may go on for ever", async (end) => {
  const { seen, watch } = watched();
  const event = `data: ${"x".repeat(mib)}${end}${end}`;
  const { stream } = boundedEvents(streamOf(...Array.from({ length: 10 }, () => event)), watch);
  expect((await new Response(stream).text()).length).toBe(10 * event.length);
  expect(seen).toEqual({ ended: 1, resumable: 0 });
});

test.each([
  ["one line", "x".repeat(mib)],
  ["many lines", `data: ${"x".repeat(1000)}\n`.repeat(1000)],
])("an event without an end, in %s, fails", async (_, piece) => {
  const { seen, watch } = watched();
  const { stream } = boundedEvents(streamOf(...Array.from({ length: 6 }, () => piece)), watch);
  await expect(new Response(stream).text()).rejects.toMatchObject({ code: "mcp_too_large" });
  expect(seen.ended).toBe(1);
});

test("a stream whose events have ids can be resumed", async () => {
  const { seen, watch } = watched();
  const { stream } = boundedEvents(streamOf("id", ": 7\nda", "ta: id: 8\n\n"), watch);
  await new Response(stream).text();
  expect(seen).toEqual({ ended: 1, resumable: 1 });
});

test("a stream that is finished here ends with one more event, and its source is let go", async () => {
  const { seen, watch } = watched();
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    cancel: () => {
      isCancelled = true;
    },
  });
  const { stream, finish } = boundedEvents(endless, watch);
  const text = new Response(stream).text();
  finish("{}");
  finish("{}");
  expect(await text).toBe("\n\ndata: {}\n\n");
  expect(isCancelled).toBe(true);
  expect(seen.ended).toBe(1);
});
