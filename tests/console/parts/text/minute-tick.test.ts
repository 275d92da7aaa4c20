import { expect, test } from "bun:test";
import { createMinuteTick } from "../../../../src/console/parts/text/minute-tick.tsx";

/** A page that a test shows and hides, and the timers that run. */
function stage() {
  const turned = new Set<() => void>();
  const timers = new Set<() => void>();
  const page = {
    visibilityState: "visible" as DocumentVisibilityState,
    addEventListener: (_: string, listener: () => void) => void turned.add(listener),
    removeEventListener: (_: string, listener: () => void) => void turned.delete(listener),
  };
  const tick = createMinuteTick({
    page: page as unknown as Document,
    every(ms, run) {
      expect(ms).toBe(60_000);
      const timer = () => run();
      timers.add(timer);
      return () => timers.delete(timer);
    },
  });
  const pass = () => {
    for (const timer of timers) timer();
  };
  const turn = (state: DocumentVisibilityState) => {
    page.visibilityState = state;
    for (const listener of [...turned]) listener();
  };
  return { tick, timers, turned, pass, turn };
}

test("one timer serves all listeners, and ends with the last", () => {
  const { tick, timers, turned, pass } = stage();
  const told: string[] = [];
  const leave = ["a", "b"].map((name) => tick.subscribe(() => told.push(name)));
  expect(timers.size).toBe(1);
  const before = tick.read();
  pass();
  expect(told).toEqual(["a", "b"]);
  expect(tick.read()).not.toBe(before);
  leave[0]?.();
  pass();
  expect(told).toEqual(["a", "b", "b"]);
  leave[1]?.();
  expect(timers.size).toBe(0);
  expect(turned.size).toBe(0);
});

test("a hidden page has no timer, and is up to date at once when it is shown again", () => {
  const { tick, timers, turn } = stage();
  let told = 0;
  tick.subscribe(() => told++);
  turn("hidden");
  expect(timers.size).toBe(0);
  expect(told).toBe(0);
  turn("visible");
  expect(told).toBe(1);
  expect(timers.size).toBe(1);
});
