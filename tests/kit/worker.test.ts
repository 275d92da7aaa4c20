import { describe, expect, test } from "bun:test";
import type { LogFields, Logger } from "../../src/kit/log.ts";
import { repeatedWorker, type Worker, WorkerGroup } from "../../src/kit/worker.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";

function recordingLogger(): Logger & { events: [string, LogFields?][] } {
  const events: [string, LogFields?][] = [];
  const record = (event: string, fields?: LogFields) => void events.push(fields ? [event, fields] : [event]);
  const logger = { events, debug: record, info: record, warn: record, error: record, with: () => logger };
  return logger;
}

/** Records its start and stop, and takes `stopMs` to stop. */
function steadyWorker(name: string, diary: string[], clock: FakeClock, stopMs = 0): Worker {
  return {
    name,
    run(signal) {
      diary.push(`${name} started`);
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          diary.push(`${name} told`);
          clock.timer(stopMs, () => {
            diary.push(`${name} stopped`);
            resolve();
          });
        });
      });
    },
  };
}

function groupOf(clock: FakeClock, ...workers: Worker[]) {
  const log = recordingLogger();
  return { group: new WorkerGroup(workers, { clock, random: () => 0.5, log }), log };
}

const statusOf = (group: WorkerGroup) => group.states().map(({ status }) => status);

describe("stop", () => {
  test("goes in reverse order, one after the other", async () => {
    const clock = new FakeClock();
    const diary: string[] = [];
    const { group } = groupOf(
      clock,
      steadyWorker("a", diary, clock, 10),
      steadyWorker("b", diary, clock, 10),
    );
    group.start();
    expect(statusOf(group)).toEqual(["running", "running"]);
    const stopped = group.stop(1000);
    await clock.advance(20);
    await stopped;
    expect(diary).toEqual(["a started", "b started", "b told", "b stopped", "a told", "a stopped"]);
    expect([statusOf(group), clock.pending]).toEqual([["stopped", "stopped"], 0]);
  });

  test("at the deadline all that are left are asked to stop, and only those that don't are abandoned", async () => {
    const clock = new FakeClock();
    const diary: string[] = [];
    const { group, log } = groupOf(
      clock,
      steadyWorker("quick", diary, clock),
      steadyWorker("stuck", diary, clock, Number.POSITIVE_INFINITY),
    );
    group.start();
    const stopped = group.stop(1000);
    await clock.advance(1000);
    await stopped;
    expect(diary).toEqual(["quick started", "stuck started", "stuck told", "quick told", "quick stopped"]);
    expect(statusOf(group)).toEqual(["stopped", "running"]);
    expect(log.events).toEqual([["worker.abandoned", { workers: ["stuck"] }]]);
  });

  test("works before the start and during a restart's wait", async () => {
    const clock = new FakeClock();
    const failing = { name: "failing", run: () => Promise.reject(new Error("no")) };
    const { group } = groupOf(clock, failing);
    await group.stop(1000);
    expect(statusOf(group)).toEqual(["stopped"]);

    const { group: restarting } = groupOf(clock, failing);
    restarting.start();
    await settle();
    expect(statusOf(restarting)).toEqual(["waiting"]);
    await restarting.stop(1000);
    expect([statusOf(restarting), clock.pending]).toEqual([["stopped"], 0]);
  });
});

describe("restart", () => {
  test("a worker that fails or returns is started again, later each time, but within two seconds", async () => {
    const clock = new FakeClock();
    const startedAtMs: number[] = [];
    const failure = new Error("no");
    const { group, log } = groupOf(clock, {
      name: "weak",
      async run() {
        startedAtMs.push(clock.monotonicMs());
        if (startedAtMs.length === 2) throw failure;
      },
    });
    group.start();
    await clock.advance(5_999);
    expect(startedAtMs).toEqual([0, 500, 1_500, 3_000, 4_500]);
    expect(group.states()).toMatchObject([{ name: "weak", status: "waiting", failures: 5 }]);
    expect(log.events.slice(0, 2)).toEqual([
      ["worker.returned", { worker: "weak" }],
      ["worker.failed", { worker: "weak", err: failure }],
    ]);
    await group.stop(0);
  });

  test("the same failure is logged once a minute, and another one at once", async () => {
    const clock = new FakeClock();
    let message = "away";
    const { group, log } = groupOf(clock, {
      name: "weak",
      run: () => Promise.reject(new Error(message)),
    });
    group.start();
    await clock.advance(59_000);
    expect(log.events.length).toBe(1);
    await clock.advance(3_000);
    expect(log.events.length).toBe(2);
    message = "broken";
    await clock.advance(2_000);
    expect(log.events.length).toBe(3);
    await group.stop(0);
  });

  test("after a long healthy run the wait is short again", async () => {
    const clock = new FakeClock();
    const startedAtMs: number[] = [];
    const runsMs = [0, 0, 100_000, 0];
    const { group } = groupOf(clock, {
      name: "moody",
      run: () =>
        new Promise((resolve) => {
          clock.timer(runsMs[startedAtMs.push(clock.monotonicMs()) - 1] ?? 0, resolve);
        }),
    });
    group.start();
    await clock.advance(102_000);
    expect(startedAtMs).toEqual([0, 500, 1_500, 102_000]);
    await group.stop(0);
  });

  test.each([
    ["the abort itself is not a failure", (signal: AbortSignal): unknown => signal.reason, 0],
    ["anything else is logged", () => new Error("lost the last batch"), 1],
  ])("thrown while stopping, %s", async (_name, thrownAt, logged) => {
    const clock = new FakeClock();
    const { group, log } = groupOf(clock, {
      name: "strict",
      run: (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(thrownAt(signal)));
        }),
    });
    group.start();
    await group.stop(1000);
    expect(group.states()).toMatchObject([{ name: "strict", status: "stopped", failures: 0 }]);
    expect(log.events.length).toBe(logged);
  });
});

describe("rounds", () => {
  test("a worker that ends none for longer than it may is stuck, until it ends one", async () => {
    const clock = new FakeClock();
    let goOn = Promise.withResolvers<void>();
    const worker = repeatedWorker("slow", 1_000, clock, () => goOn.promise);
    const { group } = groupOf(clock, worker);
    group.start();
    const silenceMaxMs = worker.silenceMaxMs ?? 0;
    await clock.advance(silenceMaxMs);
    expect(statusOf(group)).toEqual(["running"]);
    await clock.advance(1);
    expect(statusOf(group)).toEqual(["stuck"]);
    const before = goOn;
    goOn = Promise.withResolvers();
    before.resolve();
    await clock.advance(1_000);
    expect(statusOf(group)).toEqual(["running"]);
    goOn.resolve();
    await group.stop(0);
  });

  test("the first waits if it shall, but not after a failure", async () => {
    const clock = new FakeClock();
    const begunAtMs: number[] = [];
    const worker = repeatedWorker(
      "patient",
      60_000,
      clock,
      async () => {
        if (begunAtMs.push(clock.monotonicMs()) === 1) throw new Error("no");
      },
      { afterMs: 30_000 },
    );
    const { group } = groupOf(clock, worker);
    group.start();
    await clock.advance(90_600);
    expect(begunAtMs).toEqual([30_000, 30_500, 90_500]);
    await group.stop(0);
  });
});
