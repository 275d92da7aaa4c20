import { expect, test } from "bun:test";
import { readAlong } from "../../../../../src/services/platform/runs/streams/read-along.ts";

async function* counting(done: string[]): AsyncGenerator<number, string> {
  try {
    for (let item = 1; item <= 3; item++) {
      await Promise.resolve();
      yield item;
    }
    return "end";
  } finally {
    done.push("ended");
  }
}

async function readAll<Item, End>(items: AsyncGenerator<Item, End>): Promise<[Item[], End]> {
  const seen: Item[] = [];
  for (;;) {
    const { value, done } = await items.next();
    if (done) return [seen, value];
    seen.push(value);
  }
}

test("a reader gets every item and how it ended, early or late", async () => {
  const early = readAlong(counting([]));
  expect(await readAll(early.items)).toEqual([[1, 2, 3], "end"]);
  const late = readAlong(counting([]));
  await late.ended;
  expect(await readAll(late.items)).toEqual([[1, 2, 3], "end"]);
});

test("it comes to its end without a reader, and after one has left", async () => {
  const done: string[] = [];
  expect(await readAlong(counting(done)).ended).toBe("end");
  const left = readAlong(counting(done));
  for await (const _ of left.items) break;
  expect(await left.ended).toBe("end");
  expect(done).toEqual(["ended", "ended"]);
});

test("a failure is sent after the text before it, and to no one if no one reads", async () => {
  const failing = () =>
    readAlong(
      (async function* () {
        yield 1;
        throw new Error("broken");
      })(),
    );
  const { items } = failing();
  expect((await items.next()).value).toBe(1);
  expect(items.next()).rejects.toThrow("broken");
  await failing().ended.catch(() => undefined);
});
