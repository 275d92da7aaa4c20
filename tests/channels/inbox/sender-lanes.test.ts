import { expect, test } from "bun:test";
import fc from "fast-check";
import { SenderLanes } from "../../../src/channels/inbox/sender-lanes.ts";
import { settle } from "../../support/fake-clock.ts";

interface Item {
  lane: string;
  number: number;
}

const never = () => false;

test("any order of comings and endings: a lane works one at a time and in order, never more lanes than may, and all is done", async () => {
  const items = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      items,
      fc.scheduler(),
      fc.integer({ min: 1, max: 3 }),
      async (lanesOf, scheduler, atOnce) => {
        const busy = new Set<string>();
        const done: Item[] = [];
        const lanes = new SenderLanes<Item>(
          atOnce,
          async (item) => {
            expect(busy.has(item.lane)).toBe(false);
            busy.add(item.lane);
            expect(busy.size).toBeLessThanOrEqual(atOnce);
            await scheduler.schedule(Promise.resolve());
            busy.delete(item.lane);
            done.push(item);
          },
          never,
        );
        for (const [number, lane] of lanesOf.entries()) lanes.add(lane, { lane, number });
        await scheduler.waitFor(lanes.idle());
        expect(done).toHaveLength(lanesOf.length);
        for (const lane of ["a", "b", "c", "d"]) {
          const numbers = done.filter((item) => item.lane === lane).map((item) => item.number);
          expect(numbers).toEqual(numbers.toSorted((x, y) => x - y));
        }
      },
    ),
  );
});

test("one that belongs before others overtakes those that wait, not the one in work", async () => {
  const gate = Promise.withResolvers<void>();
  const done: number[] = [];
  const lanes = new SenderLanes<number>(
    4,
    async (item) => {
      await gate.promise;
      done.push(item);
    },
    (later, earlier) => later < earlier,
  );
  for (const item of [5, 9, 7, 9, 1, 8]) lanes.add("a", item);
  gate.resolve();
  await lanes.idle();
  expect(done).toEqual([5, 1, 7, 8, 9, 9]);
});

test("clearing drops what waits and lets what is in work end; lanes can be used again", async () => {
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const lanes = new SenderLanes<string>(
    1,
    async (item) => {
      await gate.promise;
      done.push(item);
    },
    never,
  );
  for (const item of ["a1", "a2"]) lanes.add("a", item);
  lanes.add("b", "b1");
  lanes.clear();
  const idle = lanes.idle();
  gate.resolve();
  await idle;
  expect(done).toEqual(["a1"]);
  lanes.add("b", "b2");
  lanes.add("a", "a3");
  await lanes.idle();
  await settle();
  expect(done).toEqual(["a1", "b2", "a3"]);
  await lanes.idle();
});
