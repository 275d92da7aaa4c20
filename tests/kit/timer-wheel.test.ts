import { expect, test } from "bun:test";
import { createTimerWheel } from "../../src/kit/timer-wheel.ts";

/** A wheel over a time that moves by hand. */
function openWheel() {
  let nowMs = 0;
  const timers = new Set<{ dueMs: number; fire: () => void; isRef: boolean }>();
  let set = 0;
  const timer = createTimerWheel({
    monotonicMs: () => nowMs,
    setTimer(ms, fire) {
      set++;
      const own = { dueMs: nowMs + ms, fire, isRef: true };
      timers.add(own);
      return {
        ref: () => {
          own.isRef = true;
        },
        unref: () => {
          own.isRef = false;
        },
        cancel: () => void timers.delete(own),
      };
    },
  });
  return {
    timer,
    set: () => set,
    /** True if a timer keeps the process alive. */
    keepsAlive: () => [...timers].some(({ isRef }) => isRef),
    pending: () => timers.size,
    to(ms: number) {
      for (;;) {
        const [next] = [...timers].filter(({ dueMs }) => dueMs <= ms).sort((a, b) => a.dueMs - b.dueMs);
        if (next === undefined) break;
        timers.delete(next);
        nowMs = next.dueMs;
        next.fire();
      }
      nowMs = ms;
    },
  };
}

test("a thousand deadlines that are kept set one timer of the system", () => {
  const wheel = openWheel();
  for (let run = 0; run < 1000; run++) {
    wheel.to(run);
    const cancels = [30_000, 60_000, 5_000].map((ms) => wheel.timer(ms, () => expect.unreachable()));
    for (const cancel of cancels) cancel();
  }
  expect(wheel.set()).toBeLessThanOrEqual(2);
  expect(wheel.keepsAlive()).toBe(false);
  wheel.to(100_000);
  expect(wheel.pending()).toBe(0);
});

test("every timer fires once, in order, not before its time and at most 50 ms after it", () => {
  const wheel = openWheel();
  const fired: [number, number][] = [];
  let nowMs = 0;
  const delays = Array.from({ length: 400 }, (_, at) => 1001 + ((at * 7919) % 40_000));
  for (const ms of delays) wheel.timer(ms, () => fired.push([ms, nowMs]));
  for (nowMs = 0; nowMs <= 42_000; nowMs += 10) wheel.to(nowMs);
  expect(fired.map(([ms]) => ms)).toEqual(delays.toSorted((a, b) => a - b));
  for (const [ms, at] of fired) expect(at - ms >= 0 && at - ms <= 60).toBe(true);
  expect(wheel.keepsAlive()).toBe(false);
});

test("short timers are exact, and a cancelled timer never fires", () => {
  const wheel = openWheel();
  const fired: string[] = [];
  wheel.timer(1000, () => fired.push("short"));
  const cancel = wheel.timer(1001, () => fired.push("cancelled"));
  wheel.timer(1002, () => fired.push("long"));
  wheel.to(999);
  expect(fired).toEqual([]);
  wheel.to(1000);
  expect(fired).toEqual(["short"]);
  cancel();
  cancel();
  wheel.to(2000);
  expect(fired).toEqual(["short", "long"]);
});

test("a timer set by a timer, an earlier one set later, and one beyond the system's longest all fire", () => {
  const wheel = openWheel();
  const fired: string[] = [];
  wheel.timer(20_000, () => {
    fired.push("first");
    wheel.timer(2_000, () => fired.push("second"));
  });
  wheel.timer(5_000, () => fired.push("earlier"));
  wheel.timer(2 ** 31 + 5_000, () => fired.push("a month"));
  wheel.to(2 ** 31);
  expect(fired).toEqual(["earlier", "first", "second"]);
  wheel.to(2 ** 31 + 5_100);
  expect(fired.at(-1)).toBe("a month");
});
