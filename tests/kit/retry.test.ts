import { describe, expect, test } from "bun:test";
import { type RetryOptions, retry, retryDelayMs, withJitter } from "../../src/kit/retry.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";

function optionsWith(clock: FakeClock, changes: Partial<RetryOptions> = {}): RetryOptions {
  return { attempts: 3, delaysMs: [100, 200], clock, random: () => 0.5, shouldRetry: () => true, ...changes };
}

test("the delays follow the list, and the last one repeats", () => {
  expect([1, 2, 3, 9].map((attempt) => retryDelayMs([100, 200], attempt))).toEqual([100, 200, 200, 200]);
  expect(retryDelayMs([], 1)).toBe(0);
});

test("jitter spreads over 80% to 120%", () => {
  expect([0, 0.25, 0.5].map((random) => withJitter(1000, () => random))).toEqual([800, 900, 1000]);
  expect(withJitter(1000, () => 0.999_999)).toBeWithin(1199, 1200);
});

describe("retry", () => {
  test("tries again after each delay and returns the first success", async () => {
    const clock = new FakeClock();
    const triedAtMs: number[] = [];
    const result = retry(async (attempt) => {
      triedAtMs.push(clock.monotonicMs());
      if (attempt < 3) throw new Error("not yet");
      return attempt;
    }, optionsWith(clock));
    await clock.advance(300);
    expect(await result).toBe(3);
    expect(triedAtMs).toEqual([0, 100, 300]);
  });

  test("throws what the last try threw", async () => {
    const clock = new FakeClock();
    const result = retry((attempt) => Promise.reject(new Error(`try ${attempt}`)), optionsWith(clock));
    const failure = result.catch((thrown: unknown) => thrown);
    await clock.advance(1000);
    expect(await failure).toEqual(new Error("try 3"));
  });

  test("throws at once what shouldRetry refuses", async () => {
    const clock = new FakeClock();
    let tries = 0;
    const shouldRetry = (thrown: unknown, attempt: number) => attempt < 1 && thrown instanceof Error;
    const result = retry(
      () => Promise.reject(new Error(`try ${++tries}`)),
      optionsWith(clock, { shouldRetry }),
    );
    await expect(result).rejects.toThrow("try 1");
    expect(clock.pending).toBe(0);
  });

  test("nothing is tried again after an abort", async () => {
    const controller = new AbortController();
    const result = retry(
      async (attempt) => {
        controller.abort("stop");
        throw new Error(`try ${attempt}`);
      },
      optionsWith(new FakeClock(), { signal: controller.signal }),
    );
    await expect(result).rejects.toThrow("try 1");
  });

  test("an abort ends the waiting with its reason and leaves no timer", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    let tries = 0;
    const result = retry(
      () => Promise.reject(new Error(`try ${++tries}`)),
      optionsWith(clock, { signal: controller.signal }),
    );
    const failure = result.catch((thrown: unknown) => thrown);
    await settle();
    controller.abort("stop");
    expect([await failure, tries, clock.pending]).toEqual(["stop", 1, 0]);
  });
});
