import { expect, test } from "bun:test";
import { PauseWatch } from "../../src/mesh/pause-watch.ts";
import { FakeClock } from "../support/fake-clock.ts";

/** A clock whose timers fire late, as in a process that was stopped. */
class StoppableClock extends FakeClock {
  stoppedMs = 0;
  override monotonicMs() {
    return super.monotonicMs() + this.stoppedMs;
  }
}

test("a pause is noticed before and right after the next pulse, and forgotten soon", async () => {
  const clock = new StoppableClock();
  const watch = new PauseWatch(clock);
  const over = new AbortController();
  const done = watch.worker().run(over.signal);
  await clock.advance(5_000);
  expect(watch.hasJustResumed).toBe(false);
  clock.stoppedMs += 3_000;
  expect(watch.hasJustResumed).toBe(true);
  await clock.advance(250);
  expect(watch.hasJustResumed).toBe(true);
  await clock.advance(500);
  expect(watch.hasJustResumed).toBe(false);
  over.abort();
  await done;
});
