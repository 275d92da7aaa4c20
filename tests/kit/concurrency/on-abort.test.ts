import { expect, test } from "bun:test";
import { onAbort } from "../../../src/kit/concurrency/on-abort.ts";

test("calls every listener once, in order, and none that was forgotten", () => {
  const controller = new AbortController();
  const called: string[] = [];
  onAbort(controller.signal, () => called.push("first"));
  const forget = onAbort(controller.signal, () => called.push("forgotten"));
  onAbort(controller.signal, () => called.push("last"));
  forget();
  forget();
  expect(called).toEqual([]);
  controller.abort();
  controller.abort();
  expect(called).toEqual(["first", "last"]);
});

test("counts a function that is given twice as two listeners", () => {
  const controller = new AbortController();
  let calls = 0;
  const listener = () => calls++;
  const forget = onAbort(controller.signal, listener);
  onAbort(controller.signal, listener);
  forget();
  controller.abort();
  expect(calls).toBe(1);
});

test("a signal that has aborted calls nothing", () => {
  let called = false;
  onAbort(AbortSignal.abort(), () => {
    called = true;
  });
  expect(called).toBeFalse();
});
