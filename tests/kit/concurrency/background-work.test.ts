import { expect, test } from "bun:test";
import { inBackground, isInBackground } from "../../../src/kit/concurrency/background-work.ts";
import { endOfTurn } from "../../../src/kit/concurrency/others-turn.ts";

test("all that background work starts knows of it, and nothing else does", async () => {
  const seen: boolean[] = [];
  const look = async () => {
    await endOfTurn();
    seen.push(isInBackground());
  };
  const work = inBackground(async () => {
    await look();
    await Promise.all([look(), look()]);
  });
  await look();
  await work;
  expect(seen.filter(Boolean)).toHaveLength(3);
  expect(seen).toHaveLength(4);
  expect(isInBackground()).toBe(false);
});
