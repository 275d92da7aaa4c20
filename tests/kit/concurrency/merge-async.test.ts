import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mergeAsync } from "../../../src/kit/concurrency/merge-async.ts";
import { settle } from "../../support/fake-clock.ts";

/** A source that yields a value when the test says so, and reacts to `stop`. */
function source(name: string) {
  const queue: PromiseWithResolvers<string | undefined>[] = [];
  const slot = (at: number) => {
    while (queue.length <= at) queue.push(Promise.withResolvers());
    return queue[at] as PromiseWithResolvers<string | undefined>;
  };
  const seen = { asked: 0, given: 0, closed: 0 };
  async function* values(): AsyncGenerator<string, void> {
    try {
      for (let at = 0; ; at++) {
        seen.asked++;
        const value = await slot(at).promise;
        if (value === undefined) return;
        yield value;
      }
    } finally {
      seen.closed++;
    }
  }
  return {
    seen,
    values: values(),
    give: () => slot(seen.given).resolve(`${name}${seen.given++}`),
    end: () => slot(seen.given++).resolve(undefined),
    fail: (error: Error) => slot(seen.given++).reject(error),
  };
}

const closed = (...sources: ReturnType<typeof source>[]) => sources.map(({ seen }) => seen.closed);

test("nothing merged is nothing", async () => {
  let stopped = 0;
  expect(await Array.fromAsync(mergeAsync([], () => stopped++))).toEqual([]);
  expect(stopped).toBe(1);
});

test("all sources are asked before one has answered", async () => {
  const [a, b] = [source("a"), source("b")];
  const merged = mergeAsync([a.values, b.values], () => {});
  const first = merged.next();
  expect([a.seen.asked, b.seen.asked]).toEqual([1, 1]);
  b.give();
  expect((await first).value).toBe("b0");
  a.end();
  b.end();
  expect((await merged.next()).done).toBeTrue();
  expect(closed(a, b)).toEqual([1, 1]);
});

test("a source goes on only when its last value was taken", async () => {
  const a = source("a");
  const merged = mergeAsync([a.values], () => {});
  a.give();
  expect((await merged.next()).value).toBe("a0");
  await settle();
  expect(a.seen.asked).toBe(1);
  a.give();
  expect((await merged.next()).value).toBe("a1");
  expect(a.seen.asked).toBe(2);
  a.end();
  await merged.next();
});

describe("all sources are closed", () => {
  const waiting = () => {
    const left = source("left");
    const stopped: string[] = [];
    const stop = () => {
      stopped.push("stop");
      left.fail(new Error("stopped"));
    };
    return { left, stop, stopped };
  };

  test("when one throws, with its error, after the others have heard of it", async () => {
    const bad = source("bad");
    const { left, stop, stopped } = waiting();
    const merged = mergeAsync([left.values, bad.values], stop);
    bad.fail(new Error("bad"));
    expect(merged.next()).rejects.toThrow("bad");
    await settle();
    expect(stopped).toEqual(["stop"]);
    expect(closed(bad, left)).toEqual([1, 1]);
    expect((await merged.next()).done).toBeTrue();
  });

  test("when the reader leaves", async () => {
    const quick = source("quick");
    const { left, stop } = waiting();
    const merged = mergeAsync([left.values, quick.values], stop);
    quick.give();
    expect((await merged.next()).value).toBe("quick0");
    await merged.return();
    expect(closed(quick, left)).toEqual([1, 1]);
  });

  test("when a source fails after the end, the error is ignored", async () => {
    const [a, b] = [source("a"), source("b")];
    const merged = mergeAsync([a.values, b.values], () => b.fail(new Error("late")));
    a.fail(new Error("first"));
    expect(merged.next()).rejects.toThrow("first");
    await settle();
    expect(closed(a, b)).toEqual([1, 1]);
  });
});

test("in any order, each value comes once, when it came about, and each source keeps its order", async () => {
  const acts = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(acts, async (given) => {
      const sources = [source("a"), source("b"), source("c")];
      const read: string[] = [];
      const reading = (async () => {
        for await (const value of mergeAsync(
          sources.map(({ values }) => values),
          () => {},
        )) {
          read.push(value);
        }
      })();
      const expected: string[] = [];
      for (const act of given) {
        const chosen = sources[act];
        expected.push(`${"abc"[act]}${chosen?.seen.given}`);
        chosen?.give();
        await settle();
      }
      for (const each of sources) each.end();
      await reading;
      expect(read).toEqual(expected);
      expect(closed(...sources)).toEqual([1, 1, 1]);
    }),
    { numRuns: 100, seed: 20_261_121 },
  );
});
