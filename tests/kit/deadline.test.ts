import { expect, test } from "bun:test";
import { AppError } from "../../src/kit/app-error.ts";
import { startDeadline } from "../../src/kit/deadline.ts";
import { FakeClock } from "../support/fake-clock.ts";

const late = () => new AppError("timed_out", "late", "Too late.");

test("aborts with its reason when the time is up", async () => {
  const clock = new FakeClock();
  const deadline = startDeadline(clock, 100, late);
  await clock.advance(99);
  expect([deadline.signal.aborted, deadline.expired, deadline.remainingMs()]).toEqual([false, false, 1]);
  await clock.advance(1);
  expect([deadline.signal.aborted, deadline.expired, deadline.remainingMs()]).toEqual([true, true, 0]);
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
