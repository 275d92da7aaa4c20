import { expect, test } from "bun:test";
import { createCallGuard } from "../../../src/kit/outages/call-guard.ts";
import { FakeClock } from "../../support/fake-clock.ts";

class Outage extends Error {}

function setUp() {
  const clock = new FakeClock();
  let asked = 0;
  const guard = createCallGuard({
    clock,
    isOutage: (thrown) => thrown instanceof Outage,
    refuse: (waitMs) => new Error(`again in ${waitMs}`),
  });
  const call = (thrown?: Error, signal?: AbortSignal, owner = "ann") =>
    guard({ owner, signal }, async () => {
      asked++;
      if (thrown) throw thrown;
      return "ok";
    }).catch((error: Error) => error.message);
  return { clock, guard, call, asked: () => asked };
}

const down = new Outage("down");

test("after three outages in a row calls fail at once, until a probe succeeds", async () => {
  const { clock, call, asked } = setUp();
  for (let time = 0; time < 3; time++) expect(await call(down)).toBe("down");
  await clock.advance(2_000);
  expect(await call()).toBe("again in 3000");
  expect(asked()).toBe(3);
  await clock.advance(3_000);
  expect(await call(down)).toBe("down");
  expect(await call()).toBe("again in 5000");
  await clock.advance(5_000);
  expect(await call()).toBe("ok");
  expect(await call()).toBe("ok");
});

test("errors that are not an outage, and callers who leave, count neither way", async () => {
  const { call, asked } = setUp();
  for (let time = 0; time < 5; time++) await call(new Error("your request"));
  for (let time = 0; time < 5; time++) await call(down, AbortSignal.abort());
  expect(await call()).toBe("ok");
  expect(asked()).toBe(11);
});

test("one call is the probe, and returns its place when its caller leaves", async () => {
  const { clock, guard, call } = setUp();
  for (let time = 0; time < 3; time++) await call(down);
  await clock.advance(5_000);
  const caller = new AbortController();
  const hung = Promise.withResolvers<void>();
  const probe = guard({ owner: "ann", signal: caller.signal }, () => hung.promise).catch(() => "left");
  expect(await call()).toStartWith("again in");
  caller.abort();
  hung.reject(new Error("left"));
  expect(await probe).toBe("left");
  expect(await call()).toBe("ok");
});

test("outages that one owner's calls meet refuse nothing to another owner", async () => {
  const { call } = setUp();
  for (let time = 0; time < 5; time++) await call(down, undefined, "greedy");
  expect(await call(undefined, undefined, "greedy")).toStartWith("again in");
  expect(await call(undefined, undefined, "modest")).toBe("ok");
});
