import { expect, test } from "bun:test";
import { BodyBudget } from "../../../src/http/bodies/body-budget.ts";
import { listen } from "../../../src/http/listen.ts";
import { frameBytesMax, SocketWatch } from "../../../src/http/streams/socket-watch.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { rawWebSocket } from "../../support/raw-web-socket.ts";
import { sampleService } from "../sample-service.ts";

/** A socket that records pings and termination. */
function stagedSocket() {
  const done = { pings: 0, terminated: false };
  return {
    done,
    ping() {
      done.pings++;
    },
    terminate() {
      done.terminated = true;
    },
  };
}

function setUp(frames: number) {
  const clock = new FakeClock();
  const budget = new BodyBudget(clock, frames * frameBytesMax);
  return { clock, budget, watch: new SocketWatch(clock, budget, frameBytesMax) };
}

test("a socket counts as a whole frame until it answers", () => {
  const { budget, watch } = setUp(8);
  const socket = stagedSocket();
  expect(watch.opened(socket)).toBe(true);
  expect([budget.bytes, socket.done.pings]).toEqual([frameBytesMax, 1]);
  watch.answered(socket);
  expect(budget.bytes).toBe(0);
  watch.closed(socket);
});

test("without room no socket is let in, and the oldest silent ones make way after 5 seconds", async () => {
  const { clock, budget, watch } = setUp(8);
  // An eighth is reserved for small bodies.
  const silent = Array.from({ length: 7 }, () => stagedSocket());
  expect(silent.map((socket) => watch.opened(socket))).toEqual(silent.map(() => true));
  expect(watch.opened(stagedSocket())).toBe(false);
  await clock.advance(5_001);
  expect(watch.opened(stagedSocket())).toBe(true);
  expect(silent.map(({ done }) => done.terminated)).toEqual([true, ...silent.slice(1).map(() => false)]);
  expect(budget.bytes).toBe(7 * frameBytesMax);
});

test("while there are many, sockets that have answered are asked again, those first that answered longest ago", async () => {
  const { clock, budget, watch } = setUp(8);
  const sockets = Array.from({ length: 20 }, () => stagedSocket());
  for (const socket of sockets) {
    watch.opened(socket);
    watch.answered(socket);
  }
  await clock.advance(4_000);
  expect(sockets.map(({ done }) => done.pings)).toEqual(sockets.map(() => 1));
  await clock.advance(2_000);
  // As many as fit; the others wait until those have answered or were terminated.
  expect(sockets.map(({ done }) => done.pings)).toEqual(sockets.map((_, at) => (at < 7 ? 2 : 1)));
  expect(budget.bytes).toBe(7 * frameBytesMax);
  await clock.advance(6_000);
  expect(sockets.slice(0, 7).every(({ done }) => done.terminated)).toBe(true);
  for (const socket of sockets) watch.closed(socket);
  expect(budget.bytes).toBe(0);
});

test("few sockets are asked once, when they open", async () => {
  const { clock, watch } = setUp(8);
  const sockets = Array.from({ length: 4 }, () => stagedSocket());
  for (const socket of sockets) {
    watch.opened(socket);
    watch.answered(socket);
  }
  await clock.advance(3_600_000);
  expect(sockets.map(({ done }) => done.pings)).toEqual([1, 1, 1, 1]);
});

test("on a real server sockets in the middle of a frame keep others out, with 503", async () => {
  const clock = new FakeClock();
  const bodies = new BodyBudget(clock, 8 * frameBytesMax);
  const listener = listen(sampleService({ clock }).app, { host: "127.0.0.1", port: 0 }, { clock, bodies });
  const open = () => rawWebSocket(listener.port, "/v1/ws/talk");
  const sockets = await Promise.all(Array.from({ length: 7 }, open));
  expect(bodies.bytes).toBe(7 * frameBytesMax);
  const refused = await open().catch((thrown: unknown) => String(thrown));
  expect(refused).toContain("503");
  for (const { socket } of sockets) socket.destroy();
  await listener.stop(0);
});
