import { expect, test } from "bun:test";
import { untilAborted } from "../../../src/kit/concurrency/until-aborted.ts";
import { settle } from "../../support/fake-clock.ts";

test("waits for the work while nothing aborts", async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(signal, async () => 1)).toBe(1);
  expect(await untilAborted(signal, () => 2)).toBe(2);
  const fault = new Error("no");
  expect(await untilAborted(signal, () => Promise.reject(fault)).catch((thrown) => thrown)).toBe(fault);
  const thrower = (): never => {
    throw fault;
  };
  expect(await untilAborted(signal, thrower).catch((thrown) => thrown)).toBe(fault);
});

test("rejects with the signal's reason as soon as it aborts, before the work ends", async () => {
  const controller = new AbortController();
  const work = Promise.withResolvers<void>();
  const waiting = untilAborted(controller.signal, () => work.promise).catch((thrown) => thrown);
  await settle();
  controller.abort("gone");
  expect(await waiting).toBe("gone");
  work.reject(new Error("nobody hears this"));
  await settle();
});

test("does not begin the work when the signal has aborted", async () => {
  let begun = false;
  const waiting = untilAborted(AbortSignal.abort("before"), () => {
    begun = true;
  });
  expect(await waiting.catch((thrown) => thrown)).toBe("before");
  expect(begun).toBeFalse();
});

test("adds one listener to a signal, however often it waits", async () => {
  const listeners: unknown[] = [];
  const signal = {
    aborted: false,
    throwIfAborted: () => {},
    addEventListener: (_: string, listener: unknown) => listeners.push(listener),
  };
  for (let time = 0; time < 3; time++) await untilAborted(signal as unknown as AbortSignal, () => settle());
  expect(listeners).toHaveLength(1);
});
