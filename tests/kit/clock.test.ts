import { expect, jest, test } from "bun:test";
import { systemClock } from "../../src/kit/clock.ts";

test("timers of up to years fire once, at their time; a cancelled one never fires", () => {
  jest.useFakeTimers();
  try {
    const fired: string[] = [];
    const day = 86_400_000;
    const set = (name: string, days: number) => systemClock.timer(days * day, () => fired.push(name));
    set("a day", 1);
    set("a month", 31);
    set("a year", 366);
    const cancels = [set("cancelled at once", 1), set("cancelled in its second part", 40)];
    cancels[0]?.();
    jest.advanceTimersByTime(30 * day);
    expect(fired).toEqual(["a day"]);
    cancels[1]?.();
    jest.advanceTimersByTime(day);
    expect(fired).toEqual(["a day", "a month"]);
    for (let days = 31; days < 1_000; days += 30) jest.advanceTimersByTime(30 * day);
    expect(fired).toEqual(["a day", "a month", "a year"]);
  } finally {
    jest.useRealTimers();
  }
});
