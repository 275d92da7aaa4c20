import { expect, test } from "bun:test";
import { AppError } from "../../src/kit/app-error.ts";
import { onAbort } from "../../src/kit/concurrency/on-abort.ts";
import { untilAborted } from "../../src/kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../src/kit/deadline.ts";
import { FakeClock } from "../support/fake-clock.ts";

const late = () => new AppError("timed_out", "late", "Too late.");

test("aborts with its reason when the time is up", async () => {
  const clock = new FakeClock();
  const deadline = startDeadline(clock, 100, late);
  await clock.advance(99);
  expect([deadline.signal.aborted, deadline.expired]).toEqual([false, false]);
  await clock.advance(1);
  expect([deadline.signal.aborted, deadline.expired]).toEqual([true, true]);
  expect(deadline.signal.reason).toMatchObject({ code: "late" });
});

test("follows any parent with the parent's reason", async () => {
  const clock = new FakeClock();
  const parents = [new AbortController(), new AbortController()];
  const deadline = startDeadline(
    clock,
    100,
    late,
    parents.map((parent) => parent.signal),
  );
  parents[1]?.abort("gone");
  expect([deadline.signal.reason, deadline.expired, clock.pending]).toEqual(["gone", false, 0]);
  await clock.advance(200);
  expect(deadline.expired).toBeFalse();
});

test("a parent that has aborted already aborts it at once", () => {
  const clock = new FakeClock();
  const deadline = startDeadline(clock, 100, late, [AbortSignal.abort("before")]);
  expect([deadline.signal.reason, clock.pending]).toEqual(["before", 0]);
});

test("disposed, it forgets the timer and the parents", async () => {
  const clock = new FakeClock();
  const parent = new AbortController();
  const deadline = startDeadline(clock, 100, late, [parent.signal]);
  deadline.dispose();
  parent.abort();
  await clock.advance(200);
  expect([deadline.signal.aborted, clock.pending]).toEqual([false, 0]);
});

test("aborted by its owner, it ends with that reason, also after it was disposed of", () => {
  const clock = new FakeClock();
  const deadline = startDeadline(clock, 100, late);
  deadline.dispose();
  deadline.abort("over");
  deadline.abort("again");
  expect([deadline.signal.reason, deadline.expired, clock.pending]).toEqual(["over", false, 0]);
});

test("begins anew with another time and reason", async () => {
  const clock = new FakeClock();
  const deadline = startDeadline(clock, 100, late);
  await clock.advance(60);
  deadline.restart(100, () => new AppError("timed_out", "later", "Too late."));
  expect(clock.pending).toBe(1);
  await clock.advance(99);
  expect(deadline.expired).toBeFalse();
  await clock.advance(1);
  expect(deadline.signal.reason).toMatchObject({ code: "later" });
  deadline.restart(100, late);
  expect(clock.pending).toBe(0);
});

test("without an end it waits for its parents alone", async () => {
  const clock = new FakeClock();
  const parent = new AbortController();
  const deadline = startDeadline(clock, 100, late, [parent.signal]);
  deadline.restart(Number.POSITIVE_INFINITY, late);
  await clock.advance(10_000_000);
  expect([deadline.signal.aborted, clock.pending]).toEqual([false, 0]);
  parent.abort("gone");
  expect([deadline.signal.reason, deadline.expired]).toEqual(["gone", false]);
});

test("work in a race ends with the deadline's reason; work that is done first, with its own", async () => {
  const clock = new FakeClock();
  const deadline = startDeadline(clock, 100, late);
  expect(await deadline.race(() => "done")).toBe("done");
  const racing = deadline.race(() => new Promise(() => {})).catch((thrown: unknown) => thrown);
  await clock.advance(100);
  expect(await racing).toMatchObject({ code: "late" });
  let begun = false;
  const after = deadline.race(() => {
    begun = true;
  });
  await expect(after).rejects.toMatchObject({ code: "late" });
  expect([begun, deadline.signal.aborted]).toEqual([false, true]);
});

test("work that waits for its signal ends with its reason, and listeners are called once", async () => {
  const clock = new FakeClock();
  const deadline = startDeadline(clock, 100, late);
  const waiting = untilAborted(deadline.signal, () => new Promise<never>(() => {}));
  const racing = deadline.race(() => new Promise<never>(() => {}));
  let told = 0;
  const forget = onAbort(deadline.signal, () => told++);
  onAbort(deadline.signal, () => told++);
  forget();
  deadline.abort("over");
  deadline.abort("again");
  expect(await Promise.allSettled([waiting, racing])).toEqual([
    { status: "rejected", reason: "over" },
    { status: "rejected", reason: "over" },
  ]);
  expect(told).toBe(1);
});
