import { describe, expect, test } from "bun:test";
import { NoAnswer, ServerWatch } from "../../../src/kit/outages/server-watch.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { outcome } from "../../support/refusal.ts";

const never = new Promise<never>(() => {});

/** A watch of a server whose probes the test answers. */
function watched() {
  const clock = new FakeClock();
  const probes: PromiseWithResolvers<void>[] = [];
  const probe = () => {
    const asked = Promise.withResolvers<void>();
    probes.push(asked);
    return asked.promise;
  };
  return { clock, probes, watch: new ServerWatch({ clock, probe, suspectMs: 1_000, hangMs: 4_000 }) };
}

describe("a watched server", () => {
  test("that gives no answer at all hangs after 4 seconds, for every caller at once", async () => {
    const { clock, probes, watch } = watched();
    let lost = 0;
    watch.onLost(() => lost++);
    const first = outcome(watch.during(never));
    await clock.advance(3_000);
    expect(probes).toHaveLength(1);
    const second = outcome(watch.during(never));
    await clock.advance(1_100);
    expect(await first).toBeInstanceOf(NoAnswer);
    expect(await second).toBeInstanceOf(NoAnswer);
    expect(lost).toBe(1);
    expect(() => watch.admit()).toThrow(NoAnswer);
    expect(await outcome(watch.during(never))).toBeInstanceOf(NoAnswer);
  });

  test("is met again when a probe succeeds, without a call", async () => {
    const { clock, probes, watch } = watched();
    const call = outcome(watch.during(never));
    await clock.advance(4_100);
    await call;
    probes[0]?.reject(new Error("no answer"));
    await clock.advance(500);
    expect(probes).toHaveLength(2);
    expect(() => watch.admit()).toThrow(NoAnswer);
    probes[1]?.resolve();
    await clock.advance(0);
    watch.admit();
    expect(await watch.during(Promise.resolve("answer"))).toBe("answer");
  });

  test("is only slow as long as it answers any call, or the probe", async () => {
    const { clock, probes, watch } = watched();
    const slow = Promise.withResolvers<string>();
    const call = watch.during(slow.promise);
    for (let second = 0; second < 10; second++) {
      await clock.advance(3_000);
      // The answer to another call.
      watch.heard();
    }
    await clock.advance(3_000);
    probes.at(-1)?.resolve();
    await clock.advance(3_000);
    slow.resolve("late");
    expect(await call).toBe("late");
    watch.admit();
  });

  test("hangs also when each caller gives up before that is known", async () => {
    const { clock, watch } = watched();
    for (let caller = 0; caller < 4; caller++) {
      const gaveUp = Promise.withResolvers<never>();
      const call = outcome(watch.during(gaveUp.promise));
      await clock.advance(1_050);
      gaveUp.reject(new Error("waited long enough"));
      await call;
    }
    expect(() => watch.admit()).toThrow(NoAnswer);
  });

  test("does not hang because this process was busy: what has arrived is read first", async () => {
    const { clock, watch } = watched();
    const call = watch.during(never);
    await clock.advance(4_000);
    watch.heard();
    await clock.advance(100);
    watch.admit();
    expect(await Promise.race([call, "still waiting"])).toBe("still waiting");
  });

  test("is not probed, and keeps no timer, while no call waits", async () => {
    const { clock, probes, watch } = watched();
    expect(await watch.during(Promise.resolve(1))).toBe(1);
    watch.heard();
    await clock.advance(60_000);
    expect(probes).toHaveLength(0);
    expect(clock.pending).toBe(0);
  });

  test("that is closed asks nothing", async () => {
    const { clock, probes, watch } = watched();
    const call = outcome(watch.during(never));
    await clock.advance(4_100);
    await call;
    watch.close();
    probes[0]?.reject(new Error("no answer"));
    await clock.advance(60_000);
    expect(probes).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});
