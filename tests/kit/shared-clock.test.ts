import { expect, test } from "bun:test";
import { systemClock } from "../../src/kit/clock.ts";
import { clockFault, SharedClock } from "../../src/kit/shared-clock.ts";

const sharedMs = Date.parse("2026-03-01T12:00:00Z");

/** A machine whose own clock is off, and a source that answers after a while. */
function staged({ offMs = 0, answerMs = 0 } = {}) {
  const state = { elapsedMs: 5_000, offMs, answerMs, sourceOffMs: 0 };
  const own = {
    ...systemClock,
    now: () => new Date(sharedMs + state.elapsedMs + state.offMs),
    monotonicMs: () => state.elapsedMs,
  };
  const clock = new SharedClock(own, async () => {
    state.elapsedMs += state.answerMs / 2;
    const told = new Date(sharedMs + state.elapsedMs + state.sourceOffMs);
    state.elapsedMs += state.answerMs / 2;
    return told;
  });
  const wrongMs = () => clock.now().getTime() - (sharedMs + state.elapsedMs + state.sourceOffMs);
  return { clock, state, wrongMs };
}

test.each([180_000, -180_000, 0])(
  "shows the shared time on a machine that is off by %d ms",
  async (offMs) => {
    const { clock, state, wrongMs } = staged({ offMs, answerMs: 10 });
    await clock.start();
    expect(wrongMs()).toBe(0);
    expect(clock.offMs).toBe(offMs);
    state.elapsedMs += 3_600_000;
    expect(wrongMs()).toBe(0);
  },
);

test("a jump of the machine's clock between two answers changes nothing, and is told", async () => {
  const { clock, state, wrongMs } = staged();
  await clock.start();
  state.offMs = -90_000;
  expect(wrongMs()).toBe(0);
  expect(clockFault(clock.offMs)).toContain("90.0 seconds behind");
});

test("an answer that took long doesn't move a time that agrees with it", async () => {
  const { clock, state, wrongMs } = staged();
  await clock.start();
  state.answerMs = 4_000;
  await clock.measure();
  expect(wrongMs()).toBe(0);
});

test("goes over to a shared time that jumps, as after a failover", async () => {
  const { clock, state, wrongMs } = staged({ answerMs: 10 });
  await clock.start();
  state.sourceOffMs = 700;
  await clock.measure();
  expect(Math.abs(wrongMs())).toBeLessThanOrEqual(5);
});

test("goes by what it knows while the source is away, and a start throws the source's error", async () => {
  let isAway = true;
  const clock = new SharedClock(systemClock, async () => {
    if (isAway) throw new Error("away");
    return new Date(systemClock.now().getTime() + 60_000);
  });
  await expect(clock.start()).rejects.toThrow("away");
  isAway = false;
  await clock.start();
  isAway = true;
  await expect(clock.measure()).rejects.toThrow("away");
  expect(clock.offMs).toBeLessThan(-59_000);
});

test("a clock is told as wrong beyond two seconds only", () => {
  expect([2_000, -2_000, 0].map(clockFault)).toEqual([undefined, undefined, undefined]);
  expect([2_001, -2_001].map(clockFault)).toEqual([
    "This machine's clock is 2.0 seconds ahead of the database's.",
    "This machine's clock is 2.0 seconds behind the database's.",
  ]);
});
