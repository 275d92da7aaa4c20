import { describe, expect, test } from "bun:test";
import type { LogFields, Logger } from "../../src/kit/log.ts";
import { type Worker, WorkerGroup } from "../../src/kit/worker.ts";
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
  test("a worker that fails or returns is started again, later each time", async () => {
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
    await clock.advance(17_999);
    expect(startedAtMs).toEqual([0, 1_000, 3_000, 8_000]);
    expect(group.states()).toMatchObject([{ name: "weak", status: "waiting", failures: 4 }]);
    expect(log.events.slice(0, 2)).toEqual([
      ["worker.returned", { worker: "weak" }],
      ["worker.failed", { worker: "weak", err: failure }],
    ]);
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
    await clock.advance(104_000);
    expect(startedAtMs).toEqual([0, 1_000, 3_000, 104_000]);
    await group.stop(0);
  });

  test.each([
    ["the abort itself is no failure", (signal: AbortSignal): unknown => signal.reason, 0],
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
