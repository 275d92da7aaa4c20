import { expect, test } from "bun:test";
import { sleep } from "../../src/kit/clock.ts";
import { FakeClock } from "./fake-clock.ts";

test("timers fire in the order in which they fall due, each at its own time", async () => {
  const clock = new FakeClock("2026-01-01T00:00:00.000Z");
  const fired: string[] = [];
  clock.timer(30, () => fired.push(`c ${clock.monotonicMs()}`));
  clock.timer(10, () => fired.push(`a ${clock.monotonicMs()}`));
  clock.timer(10, () => fired.push(`b ${clock.now().toISOString()}`));
  const cancel = clock.timer(20, () => fired.push("never"));
  cancel();
  expect(clock.pending).toBe(3);
  await clock.advance(29);
  expect(fired).toEqual(["a 10", "b 2026-01-01T00:00:00.010Z"]);
  await clock.advance(1);
  expect(fired).toEqual(["a 10", "b 2026-01-01T00:00:00.010Z", "c 30"]);
  expect(clock.pending).toBe(0);
});

test("a chain of waits runs within one advance", async () => {
  const clock = new FakeClock();
  let days = 0;
  const month = (async () => {
    while (days < 30) {
      await sleep(clock, 24 * 60 * 60 * 1000);
      days++;
    }
  })();
  await clock.advance(30 * 24 * 60 * 60 * 1000);
  await month;
  expect(days).toBe(30);
});
