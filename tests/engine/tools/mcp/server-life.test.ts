import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  mayStart,
  type ServerEvent,
  type ServerState,
  step,
  unstarted,
} from "../../../../src/engine/tools/mcp/server-life.ts";

const failed: ServerEvent = { type: "failed", fault: "it is gone" };

function after(events: readonly [number, ServerEvent][]): ServerState {
  return events.reduce((state, [atMs, event]) => step(state, event, atMs), unstarted);
}

test("each failure in a row makes the next wait longer, up to five minutes", () => {
  let state = unstarted;
  const waits = Array.from({ length: 8 }, () => {
    state = step(step(state, { type: "start" }, 0), failed, 0);
    return state.is === "down" ? state.retryAtMs : -1;
  });
  expect(waits).toEqual([1000, 2000, 5000, 15_000, 60_000, 300_000, 300_000, 300_000]);
});

test.each([
  [59_999, 3],
  [60_000, 1],
])("a server that was ready for %d ms and is lost has failed %d times in a row", (readyMs, failures) => {
  const state = after([
    [0, failed],
    [0, failed],
    [0, { type: "start" }],
    [0, { type: "started" }],
    [readyMs, failed],
  ]);
  expect(state).toMatchObject({ is: "down", failures });
});

test("only a server that is idle, or down for long enough, may be started", () => {
  expect(mayStart(unstarted, 0)).toBe(true);
  const down = step(unstarted, failed, 0);
  expect([999, 1000].map((nowMs) => mayStart(down, nowMs))).toEqual([false, true]);
  const starting = step(unstarted, { type: "start" }, 0);
  expect(mayStart(starting, 1e9)).toBe(false);
  expect(mayStart(step(starting, { type: "started" }, 0), 1e9)).toBe(false);
});

test("for any events, a server that is down is tried again within five minutes", () => {
  const event = fc.constantFrom<ServerEvent>({ type: "start" }, { type: "started" }, failed, {
    type: "closed",
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(event, fc.nat(100_000))), (history) => {
      let nowMs = 0;
      let state = unstarted;
      for (const [next, passedMs] of history) {
        nowMs += passedMs;
        state = step(state, next, nowMs);
      }
      if (state.is === "down") expect(mayStart(state, nowMs + 300_000)).toBe(true);
    }),
  );
});
