import { expect, test } from "bun:test";
import { inGroups } from "../../../src/console/gateway/in-groups.ts";

/** Lets everything happen that waits for nothing else. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("what comes during the wait and during the work on a group is the next group", async () => {
  const waits: PromiseWithResolvers<void>[] = [];
  const works: PromiseWithResolvers<void>[] = [];
  const groups: (readonly number[])[] = [];
  const next = (list: PromiseWithResolvers<void>[]) => {
    const one = Promise.withResolvers<void>();
    list.push(one);
    return one.promise;
  };
  const add = inGroups<number>(
    () => next(waits),
    (group) => {
      groups.push(group);
      return next(works);
    },
  );
  add(1);
  add(2);
  await settle();
  expect(groups).toEqual([]);
  waits[0]?.resolve();
  await settle();
  expect(groups).toEqual([[1, 2]]);
  add(3);
  add(4);
  await settle();
  // No second wait has begun: the first group is still being worked on.
  expect(waits).toHaveLength(1);
  works[0]?.resolve();
  await settle();
  add(5);
  waits[1]?.resolve();
  await settle();
  expect(groups).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  works[1]?.resolve();
  await settle();
  expect(waits).toHaveLength(2);
  add(6);
  await settle();
  expect(waits).toHaveLength(3);
});
