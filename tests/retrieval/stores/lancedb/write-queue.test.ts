import { expect, test } from "bun:test";
import fc from "fast-check";
import { WriteQueue } from "../../../../src/retrieval/stores/lancedb/write-queue.ts";

/** A queue whose commits the test ends one by one. */
function stagedQueue(togetherMax = 10) {
  const commits: string[][] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const queue = new WriteQueue<string>((parts) => {
    commits.push([...parts]);
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return end.promise;
  }, togetherMax);
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    queue,
    commits,
    turn,
    async end(failure?: Error) {
      const next = ends.shift();
      if (failure) next?.reject(failure);
      else next?.resolve();
      await turn();
    },
  };
}

test("what waits while a commit is under way is committed together, in order", async () => {
  const { queue, commits, end, turn } = stagedQueue();
  const first = queue.add("a", 1);
  await turn();
  const others = ["b", "c", "d"].map((rows) => queue.add(rows, 1));
  expect(commits).toEqual([["a"]]);
  await end();
  expect(commits).toEqual([["a"], ["b", "c", "d"]]);
  await end();
  await Promise.all([first, ...others]);
});

test("what is added in the same turn is committed together", async () => {
  const { queue, commits, end, turn } = stagedQueue();
  const added = ["a", "b"].map((rows) => queue.add(rows, 1));
  await turn();
  expect(commits).toEqual([["a", "b"]]);
  await end();
  await Promise.all(added);
});

test("no commit is larger than it may be, unless a single addition is", async () => {
  const { queue, commits, end, turn } = stagedQueue(10);
  const added = [6, 4, 1, 50, 1].map((size, at) => queue.add(String(at), size));
  await turn();
  for (let commit = 0; commit < 4; commit++) await end();
  await Promise.all(added);
  expect(commits).toEqual([["0", "1"], ["2"], ["3"], ["4"]]);
});

test("a commit that fails fails those in it, and the next ones continue", async () => {
  const { queue, end, turn } = stagedQueue();
  const failing = ["a", "b"].map((rows) => queue.add(rows, 1).catch((thrown) => thrown.message));
  await turn();
  const next = queue.add("c", 1);
  await end(new Error("full"));
  expect(await Promise.all(failing)).toEqual(["full", "full"]);
  await end();
  await next;
});

test("nothing is committed during work that goes alone, nor past it", async () => {
  const { queue, commits, end, turn } = stagedQueue();
  const before = queue.add("a", 1);
  const working = Promise.withResolvers<string>();
  const alone = queue.alone(() => working.promise);
  const after = queue.add("b", 1);
  await turn();
  await end();
  expect(commits).toEqual([["a"]]);
  working.resolve("done");
  expect(await alone).toBe("done");
  await turn();
  expect(commits).toEqual([["a"], ["b"]]);
  await end();
  await Promise.all([before, after]);
});

test("work that fails leaves the queue as it was", async () => {
  const { queue, end, turn } = stagedQueue();
  const failed = await queue.alone(() => Promise.reject(new Error("no"))).catch((thrown) => thrown.message);
  expect(failed).toBe("no");
  const added = queue.add("a", 1);
  await turn();
  await end();
  await added;
});

test("for any operations in any order: one at a time, everything once, in order of arrival", async () => {
  const step = fc.oneof(fc.record({ size: fc.integer({ min: 1, max: 8 }) }), fc.constant("alone" as const));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.scheduler(), async (steps, scheduler) => {
      const done: number[] = [];
      let busy = 0;
      const writing = async (numbers: readonly number[]) => {
        expect(++busy).toBe(1);
        await scheduler.schedule(Promise.resolve());
        done.push(...numbers);
        busy--;
      };
      const queue = new WriteQueue<number>(writing, 10);
      const all = steps.map(async (one, at) => {
        if (one === "alone") await queue.alone(() => writing([at]));
        else await queue.add(at, one.size);
      });
      await scheduler.waitFor(Promise.all(all));
      expect(done).toEqual(steps.map((_, at) => at));
    }),
  );
});
