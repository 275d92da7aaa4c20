import { expect, test } from "bun:test";
import { deflateRawSync } from "node:zlib";
import { createCall, type Socket } from "../../../src/http/call.ts";
import { createWebSocketSession } from "../../../src/http/streams/web-socket-session.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { settle } from "../../support/fake-clock.ts";
import { type FrameOptions, frame, rawWebSocket } from "../../support/raw-web-socket.ts";
import { type Produce, serveSample } from "../sample-service.ts";

interface Client {
  socket: WebSocket;
  send(frame: unknown): void;
  next(): Promise<unknown>;
  closed: Promise<number>;
}

async function connect(url: string, path = "/v1/ws/a"): Promise<Client> {
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}`);
  const frames: unknown[] = [];
  const waiting: ((frame: unknown) => void)[] = [];
  socket.onmessage = ({ data }) => {
    const received = JSON.parse(String(data));
    const take = waiting.shift();
    if (take) take(received);
    else frames.push(received);
  };
  const closed = new Promise<number>((resolve) => {
    socket.onclose = ({ code }) => resolve(code);
  });
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  return {
    socket,
    closed,
    send: (sent) => socket.send(typeof sent === "string" ? sent : JSON.stringify(sent)),
    next: () =>
      new Promise((resolve) => (frames.length > 0 ? resolve(frames.shift()) : waiting.push(resolve))),
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await settle();
}

const oneWord: Produce = async function* () {
  yield { type: "done" };
};

const untilAborted: Produce = async function* (signal) {
  yield { type: "started" };
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
};

test("many queries on one socket are answered one at a time, in order", async () => {
  await using sample = serveSample({ produce: oneWord });
  const client = await connect(sample.url);
  for (const query of ["a", "b", "c"]) client.send({ query });
  for (const query of ["a", "b", "c"]) {
    expect(await client.next()).toEqual({ type: "echo", frame: { query } });
    expect(await client.next()).toEqual({ type: "done" });
  }
});

test.each([
  ["text that isn't JSON", "hello", "invalid_request"],
  ["a number that a double can't hold", '{"n":9007199254740993}', "number_not_representable"],
  ["a key twice", '{"a":1,"a":2}', "invalid_request"],
])("%s gets an error frame, and the socket stays", async (_what, text, code) => {
  await using sample = serveSample({ produce: oneWord });
  const client = await connect(sample.url);
  client.send(text);
  expect(await client.next()).toMatchObject({ type: "error", error: code });
  client.send({ query: "still here" });
  expect(await client.next()).toMatchObject({ type: "echo" });
});

test("a failed answer is an error frame without its cause, and the socket stays", async () => {
  let calls = 0;
  const produce: Produce = async function* () {
    if (calls++ === 0) throw new Error("secret");
    yield { type: "done" };
  };
  await using sample = serveSample({ produce });
  const client = await connect(sample.url);
  client.send({});
  await client.next();
  expect(await client.next()).toEqual({
    type: "error",
    error: "internal",
    message: "Something went wrong on our side.",
  });
  client.send({});
  await client.next();
  expect(await client.next()).toEqual({ type: "done" });
});

test("closing the socket aborts the answer under way", async () => {
  await using sample = serveSample({ produce: untilAborted });
  const client = await connect(sample.url);
  client.send({});
  await client.next();
  await client.next();
  client.socket.close();
  await until(() => sample.seen.cancelled === 1);
});

test("a reset connection aborts the answer under way", async () => {
  await using sample = serveSample({ produce: untilAborted });
  const client = await rawWebSocket(sample.port, "/v1/ws/a");
  const started = new Promise((resolve) => client.socket.once("data", resolve));
  client.send(frame("{}"));
  await started;
  client.socket.resetAndDestroy();
  await until(() => sample.seen.cancelled === 1);
});

test("a refusal before the upgrade has its status (401, 404) and a body", async () => {
  await using sample = serveSample({ access: { exposed: true, apiToken: "t".repeat(32) } });
  await expect(rawWebSocket(sample.port, "/v1/ws/a")).rejects.toThrow("HTTP/1.1 401");
  const bearer = [`Authorization: Bearer ${"t".repeat(32)}`];
  await expect(rawWebSocket(sample.port, "/v1/ws/missing", bearer)).rejects.toThrow("HTTP/1.1 404");
  await expect(rawWebSocket(sample.port, "/v1/ws/a", ["Origin: https://evil.example"])).rejects.toThrow(
    "403",
  );
  expect((await rawWebSocket(sample.port, "/v1/ws/a", bearer)).head).toMatch(/x-request-id: \S+/i);
});

const twoMebibytes = "x".repeat(2 * 1024 * 1024);
const bomb = deflateRawSync(Buffer.alloc(50 * 1024 * 1024));
const wrongFrames: [string, string | Uint8Array, FrameOptions, number][] = [
  ["a frame of 2 MiB", twoMebibytes, {}, 1009],
  ["a frame that says it has 100 MiB", "x", { declaredLength: 100 * 1024 * 1024 }, 1009],
  ["an unmasked frame", "{}", { masked: false }, 1002],
  // Compression is never negotiated, so a compressed frame is refused before anything is inflated.
  ["a compressed bomb", bomb, { compressed: true }, 1002],
  ["text that isn't UTF-8", Uint8Array.of(0xff, 0xfe), {}, 1007],
];

test.each(wrongFrames)("%s closes the socket", async (_what, payload, options, code) => {
  await using sample = serveSample({ produce: oneWord });
  const client = await rawWebSocket(sample.port, "/v1/ws/a", [
    "Sec-WebSocket-Extensions: permessage-deflate",
  ]);
  expect(client.head).not.toContain("permessage-deflate");
  client.send(frame(payload, options));
  expect(await client.ended).toBe(code);
  expect((await fetch(`${sample.url}/healthz`)).status).toBe(200);
});

test("a flood of frames is closed, and doesn't run", async () => {
  await using sample = serveSample({ produce: untilAborted });
  const client = await rawWebSocket(sample.port, "/v1/ws/a");
  client.socket.on("error", () => undefined);
  const tiny = Buffer.concat(Array.from({ length: 1000 }, () => frame("{}")));
  for (let sent = 0; sent < 100_000; sent += 1000) client.send(tiny);
  expect([1008, "dropped"]).toContain(await client.ended);
  await until(() => sample.seen.cancelled === 1);
  expect(sample.seen.produced).toBe(1);
});

test("a reader that stops is disconnected after 1 MiB, and the answer ends", async () => {
  const chunk = "x".repeat(16_384);
  const endless: Produce = async function* (signal) {
    while (!signal.aborted) {
      yield { chunk };
      await settle();
    }
  };
  await using sample = serveSample({ produce: endless });
  const client = await rawWebSocket(sample.port, "/v1/ws/a");
  client.socket.pause();
  client.send(frame("{}"));
  await until(() => sample.seen.cancelled === 1);
  expect(sample.seen.produced * chunk.length).toBeLessThan(16 * 1024 * 1024);
  client.socket.destroy();
});

test("a server that stops closes idle sockets with 1001, and busy ones after their answer", async () => {
  const gate = Promise.withResolvers<void>();
  const produce: Produce = async function* () {
    await gate.promise;
    yield { type: "done" };
  };
  const sample = serveSample({ produce });
  const idle = await connect(sample.url);
  const busy = await connect(sample.url);
  busy.send({ query: "last" });
  busy.send({ query: "too late" });
  await busy.next();
  const stopped = sample.stop(60_000);
  expect(await idle.closed).toBe(1001);
  gate.resolve();
  expect(await busy.next()).toEqual({ type: "done" });
  expect(await busy.closed).toBe(1001);
  await stopped;
});

test("a binary frame is an error frame, and the socket stays", async () => {
  await using sample = serveSample({ produce: oneWord });
  const client = await connect(sample.url);
  client.socket.send(Uint8Array.of(1, 2, 3));
  expect(JSON.stringify(await client.next())).toContain("A binary frame of 3 bytes");
  client.send({ query: "a" });
  expect(await client.next()).toEqual({ type: "echo", frame: { query: "a" } });
  client.socket.close();
});

test("frames that are made without waiting are sent together, and a frame before a wait is sent at once", async () => {
  const gate = Promise.withResolvers<void>();
  const sent: string[][] = [];
  let corked: string[] | undefined;
  const socket: Socket = {
    send(text) {
      corked?.push(text);
      return text.length;
    },
    cork(work) {
      corked = [];
      work(socket);
      sent.push(corked);
      corked = undefined;
    },
    getBufferedAmount: () => 0,
    close: () => {},
    terminate: () => {},
  };
  const session = createWebSocketSession({
    answer: async function* () {
      for (const token of [1, 2, 3]) yield { token };
      await gate.promise;
      yield { token: 4 };
    },
    errorFrame: ({ message }) => ({ message }),
    call: createCall({
      requestId: "r",
      peer: "network",
      trusted: true,
      isOwner: false,
      log: silentLogger,
      connection: undefined,
    }),
  });
  session.open(socket);
  session.message(socket, "{}");
  await until(() => sent.length > 0);
  expect(sent).toEqual([['{"token":1}', '{"token":2}', '{"token":3}']]);
  gate.resolve();
  await until(() => sent.length > 1);
  expect(sent[1]).toEqual(['{"token":4}']);
});
