import { describe, expect, test } from "bun:test";
import { boundedBody, boundedEvents } from "../../../../src/engine/tools/mcp/http/bounded-stream.ts";
import { hasTooManyValues } from "../../../../src/engine/tools/mcp/value-count.ts";

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
  const seen = { ended: 0, ids: [] as (string | undefined)[] };
  const took = (eventId: string | undefined) => void seen.ids.push(eventId);
  return { seen, watch: { ended: () => void seen.ended++, took } };
}

test("a body within the bound passes as it is, a longer one fails", async () => {
  expect(await new Response(boundedBody(streamOf("one ", "two"))).text()).toBe("one two");
  const long = boundedBody(streamOf(...Array.from({ length: 5 }, () => "x".repeat(mib))));
  await expect(new Response(long).text()).rejects.toMatchObject({ code: "mcp_too_large" });
});

test.each(["\n", "\r\n", "\r"])("events that end in %j have no limit of their sum", async (end) => {
  const { seen, watch } = watched();
  const event = `data: ${"x".repeat(mib)}${end}${end}`;
  const { stream } = boundedEvents(streamOf(...Array.from({ length: 10 }, () => event)), watch);
  expect((await new Response(stream).text()).length).toBe(10 * event.length);
  expect(seen).toEqual({ ended: 1, ids: Array(10).fill(undefined) });
});

test.each([
  ["one line", "x".repeat(mib)],
  ["many lines", `data: ${"x".repeat(1000)}\n`.repeat(1000)],
  ["many lines that end in two bytes", `data: ${"x".repeat(1000)}\r\n`.repeat(1000)],
])("an event without an end, in %s, fails", async (_, piece) => {
  const { seen, watch } = watched();
  const { stream } = boundedEvents(streamOf(...Array.from({ length: 6 }, () => piece)), watch);
  await expect(new Response(stream).text()).rejects.toMatchObject({ code: "mcp_too_large" });
  expect(seen.ended).toBe(1);
});

test.each([
  ["an id", "id: 7\ndata: 1\n\n", ["7"]],
  ["an id without a space, after the data", "data\nid:7\n\n", ["7"]],
  [
    "ids of its own for each event",
    "id: 7\ndata: id: 8\n\ndata: 2\n\nid: 9\r\ndata:\r\n\r\n",
    ["7", undefined, "9"],
  ],
  ["no data: no event", "id: 7\n\n: 8\n\ndatum: 1\n\ndat\n\n", []],
  ["no end: no event yet", "id: 7\ndata: 1\n", []],
  ["an id that no header can name", "id: sept \u00e9\ndata: 1\n\nid: \ndata: 2\n\n", [undefined, undefined]],
])("each event is reported with its id: %s", async (_, text, ids) => {
  for (const pieces of [[text], [...text]]) {
    const { seen, watch } = watched();
    const { stream } = boundedEvents(streamOf(...pieces), watch);
    expect(await new Response(stream).text()).toBe(text);
    expect(seen).toEqual({ ended: 1, ids });
  }
});

test("a delay that no timer takes is made invalid, all else is left as it is", async () => {
  const text = [
    "retry: 999999999\nid: 9999999999\ndata: 9999999999\n: 9999999999\nretry\n\n",
    "retry:9999999999\r\nretry: 100000000000\r\rdata: retry: 9999999999\nretrying: 9999999999\n",
  ].join("");
  const bounded = text
    .replace("retry:9999999999", "retry:999999999.")
    .replace("100000000000", "100000000...");
  for (const pieces of [[text], [...text]]) {
    const { stream } = boundedEvents(streamOf(...pieces), watched().watch);
    expect(await new Response(stream).text()).toBe(bounded);
  }
});

test("an event that is added at the beginning is not reported", async () => {
  const { seen, watch } = watched();
  const { stream, begin } = boundedEvents(streamOf("id: 8\ndata: 1\n\n"), watch);
  begin("7");
  expect(await new Response(stream).text()).toBe("id: 7\ndata:\n\nid: 8\ndata: 1\n\n");
  expect(seen.ids).toEqual(["8"]);
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

describe("a message of too many values", () => {
  const row = `[${"1,".repeat(999)}1],`;
  const values = (rows: number) => `{"result": [${row.repeat(rows)}1]}`;
  const commas = JSON.stringify({ text: `\\",[{\n${"[,{".repeat(300_000)}` });

  test("fails as a body, and commas in its texts don't count", async () => {
    const read = (text: string) =>
      new Response(boundedBody(streamOf(text.slice(0, 70), text.slice(70)))).text();
    expect(await read(values(190))).toBe(values(190));
    expect(await read(commas)).toBe(commas);
    await expect(read(values(210))).rejects.toMatchObject({ code: "mcp_too_large" });
  });

  test("fails as an event, and each event counts by itself", async () => {
    const { watch } = watched();
    const read = (...events: string[]) =>
      new Response(boundedEvents(streamOf(...events.map((one) => `data: ${one}\n\n`)), watch).stream).text();
    expect(await read(values(190), commas, values(190))).toContain("result");
    await expect(read(values(210))).rejects.toMatchObject({ code: "mcp_too_large" });
    // A quote in another line of the event begins no string.
    const { watch: second } = watched();
    const behind = boundedEvents(streamOf(`id: "\ndata: ${values(210)}\n\n`), second);
    await expect(new Response(behind.stream).text()).rejects.toMatchObject({ code: "mcp_too_large" });
  });

  test("is refused as a line", () => {
    expect([values(190), commas, values(210)].map(hasTooManyValues)).toEqual([false, false, true]);
  });
});
