import { describe, expect, test } from "bun:test";
import { BodyBudget } from "../../../src/http/bodies/body-budget.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const kib = 1024;

function setUp(bytesMax = 800 * kib) {
  const clock = new FakeClock();
  return { clock, budget: new BodyBudget(clock, bytesMax) };
}

describe("the budget of unfinished bodies", () => {
  test("refuses what finds no room, and takes it once another body has ended", () => {
    const { budget } = setUp();
    const first = budget.begin();
    first.take(600 * kib);
    const second = budget.begin();
    expect(() => second.take(200 * kib)).toThrow("Too many request bodies");
    first.end();
    second.take(200 * kib);
    second.end();
    expect(budget.bytes).toBe(0);
  });

  test("keeps an eighth for small bodies", () => {
    const { budget } = setUp();
    budget.begin().take(700 * kib);
    budget.begin().take(16 * kib);
    expect(() => budget.begin().take(17 * kib)).toThrow("Too many request bodies");
  });

  test("bodies that are unfinished for longest make way, as many as are needed", async () => {
    const { clock, budget } = setUp();
    const slow = Array.from({ length: 7 }, () => budget.begin());
    for (const body of slow) body.take(100 * kib);
    await clock.advance(4_999);
    expect(() => budget.begin().take(150 * kib)).toThrow("Too many request bodies");
    await clock.advance(1);
    budget.begin().take(150 * kib);
    expect(slow.map(({ signal }) => signal.aborted)).toEqual([true, true, false, false, false, false, false]);
    expect(slow[0]?.signal.reason).toMatchObject({ code: "too_busy", details: { retryAfterSeconds: 5 } });
    expect(() => slow[0]?.take(1)).toThrow("made way");
    for (const body of slow) body.end();
    expect(budget.bytes).toBe(150 * kib);
  });

  test("a body whose declared length finds no room is refused before it is read", () => {
    const { budget } = setUp();
    budget.begin().take(600 * kib);
    expect(() => budget.begin(200 * kib)).toThrow("Too many request bodies");
    budget.begin(100 * kib).end();
    expect(budget.bytes).toBe(600 * kib);
  });

  test("a body never makes way for itself", async () => {
    const { clock, budget } = setUp();
    const body = budget.begin();
    body.take(600 * kib);
    await clock.advance(10_000);
    expect(() => body.take(200 * kib)).toThrow("Too many request bodies");
    expect(body.signal.aborted).toBe(false);
  });
});
