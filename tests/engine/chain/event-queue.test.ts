import { expect, test } from "bun:test";
import { createEventQueue } from "../../../src/engine/chain/event-queue.ts";
import { settle } from "../../support/fake-clock.ts";

test("one reader gets what several senders give, in that order, and ends when they have", async () => {
  const queue = createEventQueue<string>();
  const read: string[] = [];
  const reading = (async () => {
    for await (const item of queue) read.push(item);
  })();
  queue.push("a");
  await settle();
  expect(read).toEqual(["a"]);
  queue.push("b");
  queue.push("c");
  queue.end();
  await reading;
  expect(read).toEqual(["a", "b", "c"]);
});

test("what waits is read although the senders have ended before", async () => {
  const queue = createEventQueue<number>();
  queue.push(1);
  queue.push(2);
  queue.end();
  expect(await Array.fromAsync(queue)).toEqual([1, 2]);
});
