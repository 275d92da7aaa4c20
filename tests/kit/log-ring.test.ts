import { describe, expect, test } from "bun:test";
import { LogRing, logRingLimits } from "../../src/kit/log-ring.ts";

const lineOf = (event: string, more: Record<string, unknown> = {}) =>
  `${JSON.stringify({ level: "info", time: "2026-01-01T00:00:00.000Z", event, ...more })}\n`;

const numbersOf = (ring: LogRing, after: number) => ring.after(after).map(({ number }) => number);

describe("a ring of log lines", () => {
  test("returns the lines after a number", () => {
    const ring = new LogRing();
    for (const event of ["a", "b", "c"]) ring.keep(lineOf(event));
    expect(numbersOf(ring, 0)).toEqual([1, 2, 3]);
    expect(numbersOf(ring, 2)).toEqual([3]);
    expect(numbersOf(ring, 3)).toEqual([]);
    expect(numbersOf(ring, 99)).toEqual([]);
  });

  test("keeps the newest lines, and their numbers", () => {
    const ring = new LogRing();
    const all = logRingLimits.lines + 2_500;
    for (let number = 1; number <= all; number++) ring.keep(lineOf(`e${number}`));
    expect(ring.after(0)).toHaveLength(logRingLimits.lines);
    expect(ring.after(0)[0]?.number).toBe(2_501);
    expect(ring.last).toBe(all);
    expect(numbersOf(ring, all - 2)).toEqual([all - 1, all]);
    expect(JSON.parse(ring.after(all - 1)[0]?.json ?? "").event).toBe(`e${all}`);
  });

  test("keeps no more characters than its limit, and the head of a long line", () => {
    const ring = new LogRing();
    ring.keep(lineOf("long", { text: "x".repeat(logRingLimits.lineChars) }));
    expect(JSON.parse(ring.after(0)[0]?.json ?? "")).toMatchObject({ level: "info", event: "long" });
    expect(ring.after(0)[0]?.json.length).toBeLessThan(2_000);
    for (let number = 0; number < 600; number++) ring.keep(lineOf("big", { text: "x".repeat(15_000) }));
    const chars = ring.after(0).reduce((sum, { json }) => sum + json.length, 0);
    expect(chars).toBeLessThanOrEqual(logRingLimits.chars);
    expect(ring.after(0).at(-1)?.number).toBe(601);
  });

  test("tells who waits of the next line, and lets them go", async () => {
    const ring = new LogRing();
    const over = new AbortController();
    const waiting = [ring.next(over.signal), ring.next(over.signal)];
    ring.keep(lineOf("a"));
    await Promise.all(waiting);
    const gone = ring.next(over.signal);
    over.abort();
    await gone;
    await ring.next(over.signal);
  });
});
