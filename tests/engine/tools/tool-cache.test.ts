import { expect, test } from "bun:test";
import { createMemoryCache } from "../../../src/engine/tools/tool-cache.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const scope = { tenant: "t", sessionId: "s" };

test("scopes don't see each other, with any names", async () => {
  const cache = createMemoryCache(new FakeClock());
  await cache.set(scope, "k", "1");
  await cache.set({ tenant: "t", sessionId: "other" }, "k", "2");
  for (const other of [
    { tenant: "u", sessionId: "s" },
    { tenant: 't","s', sessionId: "" },
    { tenant: "", sessionId: "ts" },
  ]) {
    expect(await cache.get(other, "k")).toBeUndefined();
  }
  expect(await cache.get(scope, "k")).toBe("1");
  expect([
    await cache.delete(scope, "k"),
    await cache.delete(scope, "k"),
    await cache.get(scope, "k"),
  ]).toEqual([true, false, undefined]);
});

test("the least recently used goes first when there are too many entries or characters", async () => {
  const cache = createMemoryCache(new FakeClock(), { entriesMax: 3, charsMax: 1000, ttlMs: 1000 });
  for (const key of ["a", "b", "c"]) await cache.set(scope, key, "1");
  await cache.get(scope, "a");
  await cache.set(scope, "d", "1");
  const left = async () =>
    (
      await Promise.all(["a", "b", "c", "d"].map(async (key) => ((await cache.get(scope, key)) ? key : "")))
    ).join("");
  expect(await left()).toBe("acd");
  await cache.set(scope, "d", "x".repeat(960));
  expect(await left()).toBe("cd");
});

test("no entry outlives its time since it was set", async () => {
  const clock = new FakeClock();
  const cache = createMemoryCache(clock, { entriesMax: 3, charsMax: 1000, ttlMs: 1000 });
  await cache.set(scope, "k", "1");
  await clock.advance(999);
  expect(await cache.get(scope, "k")).toBe("1");
  await clock.advance(1);
  expect(await cache.get(scope, "k")).toBeUndefined();
  expect(await cache.delete(scope, "k")).toBe(false);
});
