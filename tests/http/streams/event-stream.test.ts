import { expect, test } from "bun:test";
import { AppError } from "../../../src/kit/app-error.ts";
import { readSse } from "../../../src/kit/fetch/sse.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { openSocket } from "../../support/raw-http.ts";
import { recordingLogger, serveSample } from "../sample-service.ts";

const post = "POST /v1/stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";

/** Resolves when `holds` returns true; checks at each turn of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await settle();
}

async function* wordsThen(signal: AbortSignal, next: (signal: AbortSignal) => Promise<void>) {
  yield { content: "one" };
  await next(signal);
  yield { content: "two" };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

test("events arrive in order, each as soon as it is made", async () => {
  const gate = Promise.withResolvers<void>();
  await using sample = serveSample({ produce: (signal) => wordsThen(signal, () => gate.promise) });
  const response = await fetch(`${sample.url}/v1/stream`, { method: "POST" });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("x-request-id")).toBeString();
  const batches = readSse(response.body as ReadableStream<Uint8Array>);
  expect((await batches.next()).value).toEqual(['{"content":"one"}']);
  gate.resolve();
  expect((await batches.next()).value).toEqual(['{"content":"two"}']);
  expect((await batches.next()).done).toBe(true);
});

test("a silent stream is pinged every 10 s, and no longer once it has ended", async () => {
  const clock = new FakeClock();
  const gate = Promise.withResolvers<void>();
  await using sample = serveSample({ clock, produce: (signal) => wordsThen(signal, () => gate.promise) });
  const response = await fetch(`${sample.url}/v1/stream`, { method: "POST" });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toBe('data: {"content":"one"}\n\n');
  for (let i = 0; i < 3; i++) {
    await clock.advance(10_000);
    expect(await next()).toBe(": ping\n\n");
  }
  gate.resolve();
  expect(await next()).toBe('data: {"content":"two"}\n\n');
  expect((await reader.read()).done).toBe(true);
  expect(clock.pending).toBe(0);
});

test("a failure after the headers is an error event; an internal one is logged and not sent", async () => {
  for (const [thrown, code, level] of [
    [new AppError("upstream_failed", "provider_failed", "No answer."), "provider_failed", "request.refused"],
    [new Error("secret"), "internal", "request.failed"],
  ] as const) {
    const { log, lines } = recordingLogger();
    await using sample = serveSample({
      log,
      produce: (signal) => wordsThen(signal, () => Promise.reject(thrown)),
    });
    const response = await fetch(`${sample.url}/v1/stream`, { method: "POST" });
    const text = await response.text();
    expect(text).toBe(`data: {"content":"one"}\n\nevent: error\ndata: {"error":"${code}"}\n\n`);
    expect(lines.map((line) => line.event)).toEqual([level]);
  }
});

test("a connection reset in the middle aborts the source", async () => {
  const ended = Promise.withResolvers<void>();
  const produce = (signal: AbortSignal) => wordsThen(signal, (gone) => aborted(gone).then(ended.resolve));
  await using sample = serveSample({ produce });
  const socket = await openSocket(sample.port);
  socket.on("error", () => undefined);
  const started = new Promise((resolve) => socket.once("data", resolve));
  socket.write(post);
  await started;
  socket.resetAndDestroy();
  await ended.promise;
  expect(sample.seen.cancelled).toBe(1);
});

test("a reader that stops is disconnected after 1 MiB, and the source ends", async () => {
  const chunk = "x".repeat(16_384);
  async function* endless(signal: AbortSignal) {
    while (!signal.aborted) {
      yield { chunk };
      await settle();
    }
  }
  await using sample = serveSample({ produce: endless });
  const socket = await openSocket(sample.port);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(post);
  await until(() => sample.seen.cancelled === 1);
  // The kernel's buffers of both sides, and our 1 MiB.
  expect(sample.seen.produced * chunk.length).toBeLessThan(16 * 1024 * 1024);
  socket.destroy();
});

test("a reader that is behind, but reads, gets everything", async () => {
  const words = Array.from({ length: 3000 }, (_, i) => ({ i, text: "x".repeat(1000) }));
  async function* burst() {
    yield* words;
  }
  await using sample = serveSample({ produce: burst });
  const response = await fetch(`${sample.url}/v1/stream`, { method: "POST" });
  const events: unknown[] = [];
  for await (const batch of readSse(response.body as ReadableStream<Uint8Array>)) {
    events.push(...batch.map((event) => JSON.parse(event)));
  }
  expect(events).toEqual(words);
});

test("HEAD has the status and headers of GET, and opens no stream", async () => {
  const clock = new FakeClock();
  const places = { open: 0 };
  async function* produce(signal: AbortSignal) {
    places.open++;
    try {
      yield { type: "open" };
      await aborted(signal);
    } finally {
      places.open--;
    }
  }
  await using sample = serveSample({ clock, produce });
  const url = `${sample.url}/v1/stream`;
  const head = await fetch(url, { method: "HEAD" });
  expect(await head.text()).toBe("");
  await until(() => places.open === 0);
  expect(clock.pending).toBe(0);
  const leave = new AbortController();
  const got = await fetch(url, { signal: leave.signal });
  const {
    "x-request-id": _id,
    date: _date,
    "transfer-encoding": _framing,
    ...expected
  } = got.headers.toJSON();
  expect(head.status).toBe(got.status);
  expect(head.headers.toJSON()).toMatchObject(expected);
  leave.abort();
  await until(() => places.open === 0);
});

test("many HEADs on one connection leave it usable", async () => {
  await using sample = serveSample();
  for (let count = 0; count < 20; count++)
    expect((await fetch(`${sample.url}/v1/stream`, { method: "HEAD" })).status).toBe(200);
  expect(await (await fetch(`${sample.url}/v1/stream`)).text()).toContain("three");
});
