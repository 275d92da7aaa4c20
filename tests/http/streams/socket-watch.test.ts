import { expect, test } from "bun:test";
import { BodyBudget } from "../../../src/http/bodies/body-budget.ts";
import { listen } from "../../../src/http/listen.ts";
import { messageBytesMax, SocketWatch } from "../../../src/http/streams/socket-watch.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { frame, rawWebSocket } from "../../support/raw-web-socket.ts";
import { type Produce, sampleService } from "../sample-service.ts";

/** A socket that records how it ended. */
function stagedSocket() {
  const done = { code: 0, terminated: false };
  return {
    done,
    close(code: number) {
      done.code = code;
    },
    terminate() {
      done.terminated = true;
    },
  };
}

const idle = () => false;
const waiting = () => true;

function setUp(messages: number) {
  const clock = new FakeClock();
  const budget = new BodyBudget(clock, messages * messageBytesMax);
  return { clock, budget, watch: new SocketWatch(budget, messageBytesMax) };
}

test("a socket counts as a whole message as long as it is open, after any message", () => {
  const { budget, watch } = setUp(8);
  const socket = stagedSocket();
  expect(watch.opened(socket, idle)).toBe(true);
  expect(budget.bytes).toBe(messageBytesMax);
  watch.completed(socket);
  expect(budget.bytes).toBe(messageBytesMax);
  watch.closed(socket);
  expect(budget.bytes).toBe(0);
});

test("a socket without room is closed, and the longest silent one makes way after 5 seconds", async () => {
  const { clock, budget, watch } = setUp(8);
  // An eighth is reserved for small bodies.
  const sockets = Array.from({ length: 7 }, () => stagedSocket());
  expect(sockets.map((socket) => watch.opened(socket, idle))).toEqual(sockets.map(() => true));
  const early = stagedSocket();
  expect(watch.opened(early, idle)).toBe(false);
  expect(early.done.code).toBe(1013);
  await clock.advance(5_001);
  expect(watch.opened(stagedSocket(), idle)).toBe(true);
  expect(sockets.map(({ done }) => done.terminated)).toEqual([true, ...Array(6).fill(false)]);
  expect(sockets[0]?.done.code).toBe(1013);
  expect(budget.bytes).toBe(7 * messageBytesMax);
});

test("a complete message puts a socket last, and one that waits for an answer stays", async () => {
  const { clock, watch } = setUp(8);
  const sockets = Array.from({ length: 7 }, () => stagedSocket());
  for (const [at, socket] of sockets.entries()) watch.opened(socket, at === 1 ? waiting : idle);
  await clock.advance(5_001);
  const [first] = sockets;
  if (first !== undefined) watch.completed(first);
  expect(watch.opened(stagedSocket(), idle)).toBe(true);
  expect(sockets.map(({ done }) => done.terminated)).toEqual([false, false, true, ...Array(4).fill(false)]);
});

test("sockets that all wait for answers keep others out", async () => {
  const { clock, watch } = setUp(8);
  const sockets = Array.from({ length: 7 }, () => stagedSocket());
  for (const socket of sockets) watch.opened(socket, waiting);
  await clock.advance(60_000);
  expect(watch.opened(stagedSocket(), idle)).toBe(false);
  expect(sockets.some(({ done }) => done.terminated)).toBe(false);
});

/** Returns a frame that more follow. */
function fragment(text: string, isFirst: boolean): Uint8Array {
  const made = frame(text, { opcode: isFirst ? 1 : 0 });
  made[0] = (made[0] ?? 0) & 0x7f;
  return made;
}

function serve(messages: number, produce?: Produce) {
  const clock = new FakeClock();
  const bodies = new BodyBudget(clock, messages * messageBytesMax);
  const { app } = sampleService({ clock, ...(produce && { produce }) });
  const listener = listen(app, { host: "127.0.0.1", port: 0 }, { clock, bodies });
  const open = () => rawWebSocket(listener.port, "/v1/ws/talk");
  return { clock, bodies, listener, open };
}

test("on a real server, fragments with pongs between them keep others out, with 503 and a time, and then make way", async () => {
  const { clock, bodies, listener, open } = serve(8);
  const sockets = await Promise.all(Array.from({ length: 7 }, open));
  for (const socket of sockets) {
    socket.send(fragment("a".repeat(1000), true));
    for (let at = 0; at < 5; at++) {
      socket.send(frame("", { opcode: 10 }));
      socket.send(fragment("a".repeat(1000), false));
    }
  }
  const refused = String(await open().catch((thrown: unknown) => thrown));
  expect(refused).toContain("503");
  expect(refused.toLowerCase()).toContain("retry-after: 5");
  expect(bodies.bytes).toBe(7 * messageBytesMax);
  await clock.advance(5_001);
  await open();
  expect(await Promise.race(sockets.map(({ ended }) => ended))).toBe(1013);
  expect(bodies.bytes).toBe(7 * messageBytesMax);
  await listener.stop(0);
  expect(bodies.bytes).toBe(0);
});

test("on a real server a socket with an answer in progress stays; one more while none is idle is 503", async () => {
  const started = Promise.withResolvers<void>();
  const { clock, listener, open } = serve(2, async function* (signal) {
    started.resolve();
    yield { type: "started" };
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  });
  const answered = await open();
  answered.send(frame('{"query":"a"}'));
  await started.promise;
  await clock.advance(60_000);
  expect(await open().catch((thrown: unknown) => String(thrown))).toContain("503");
  answered.socket.destroy();
  await listener.stop(0);
});
