import { expect, test } from "bun:test";
import { CommitPace } from "../../src/storage/sqlite/commit-pace.ts";
import { FakeClock } from "../support/fake-clock.ts";

function openPace() {
  const clock = new FakeClock();
  const pace = new CommitPace(clock);
  const come = (jobs: number) => {
    for (let job = 0; job < jobs; job++) pace.came();
    pace.begun();
  };
  return { clock, pace, come };
}

test("few jobs need no wait", async () => {
  const { clock, pace, come } = openPace();
  for (let job = 0; job < 500; job++) {
    expect(pace.waitMs()).toBe(0);
    come(1);
    await clock.advance(7);
  }
});

test("with many jobs, a commit begins 10 ms after the last one", async () => {
  const { clock, pace, come } = openPace();
  come(31);
  expect(pace.waitMs()).toBe(0);
  come(1);
  expect(pace.waitMs()).toBe(10);
  for (let job = 0; job < 100; job++) {
    await clock.advance(5);
    come(1);
  }
  expect(pace.waitMs()).toBe(10);
  await clock.advance(6);
  expect(pace.waitMs()).toBe(4);
  await clock.advance(4);
  expect(pace.waitMs()).toBe(0);
});

test("the wait ends when there have been few jobs for a while", async () => {
  const { clock, pace, come } = openPace();
  come(5_000);
  await clock.advance(32 * 6);
  come(0);
  expect(pace.waitMs()).toBe(10);
  await clock.advance(6);
  come(0);
  expect(pace.waitMs()).toBe(0);
});
