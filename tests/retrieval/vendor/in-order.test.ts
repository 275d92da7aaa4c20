import { expect, test } from "bun:test";
import fc from "fast-check";
import { inOrder } from "../../../src/retrieval/vendor/in-order.ts";

const never = new AbortController().signal;

test("results come in the order of the items, however the work ends; never more than agreed is under way", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.nat(12),
      fc.integer({ min: 1, max: 5 }),
      async (scheduler, count, most) => {
        let underWay = 0;
        const work = async (item: number) => {
          underWay++;
          expect(underWay).toBeLessThanOrEqual(most);
          await scheduler.schedule(Promise.resolve());
          underWay--;
          return item * 2;
        };
        const items = Array.from({ length: count }, (_, at) => at);
        const results = inOrder(items, most, work, never);
        await scheduler.waitFor(results);
        expect(await results).toEqual(items.map((item) => item * 2));
      },
    ),
  );
});

test("the first failure is thrown when nothing is under way any more, and nothing new is begun", async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const work = async (item: number, signal: AbortSignal) => {
    begun.push(item);
    if (item === 1) throw new Error("one");
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    ended.push(item);
  };
  const failure = await inOrder([0, 1, 2, 3, 4], 3, work, never).catch((thrown) => thrown);
  expect(failure.message).toBe("one");
  expect(begun).toEqual([0, 1, 2]);
  expect(ended.sort()).toEqual([0, 2]);
});

test("an abort is thrown with its reason", async () => {
  const stop = new AbortController();
  const work = (_: number, signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(new Error("cut"))));
  const outcome = inOrder([1, 2], 2, work, stop.signal).catch((thrown) => thrown);
  stop.abort("gone");
  expect(await outcome).toBe("gone");
});
