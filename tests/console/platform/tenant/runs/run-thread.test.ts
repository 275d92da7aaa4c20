import { expect, test } from "bun:test";
import {
  createThread,
  type ThreadParts,
} from "../../../../../src/console/platform/tenant/runs/run-thread.ts";
import { textOf } from "../../../../../src/console/runs/run-state.ts";
import type { PlatformFrame } from "../../../../../src/contracts/platform/clients/run-client.ts";
import { AppError } from "../../../../../src/kit/app-error.ts";

const token = (content: string): PlatformFrame => ({ type: "token", content });
const done: PlatformFrame = {
  type: "done",
  invocation_id: "i",
  status: "ok",
  session_id: "s",
  answer: "ab",
  usage: { tokens_in: 1, tokens_out: 1, by_model: [] },
  credits_charged_micros: 0,
  pricing_status: "priced",
};

/** A thread whose page repaints when the test says so. */
function threadOf(parts: Partial<ThreadParts>) {
  const drawings: (() => void)[] = [];
  const settled = Promise.withResolvers<void>();
  const thread = createThread({
    async *ask() {},
    async *decide() {},
    schedule: (flush) => drawings.push(flush),
    nowMs: () => 7,
    settled: () => settled.resolve(),
    ...parts,
  });
  return { thread, drawings, settled: settled.promise };
}

test("frames that came between two drawings change the page once", async () => {
  const rest = Promise.withResolvers<void>();
  const cameTwo = Promise.withResolvers<void>();
  const { thread, drawings, settled } = threadOf({
    async *ask() {
      yield token("a");
      yield token("b");
      cameTwo.resolve();
      await rest.promise;
      yield done;
    },
  });
  thread.ask({ query: "Tea?" });
  let changes = 0;
  thread.subscribe(() => changes++);
  await cameTwo.promise;
  expect(drawings).toHaveLength(1);
  expect(changes).toBe(0);
  drawings[0]?.();
  expect(changes).toBe(1);
  expect(thread.read().map(({ run }) => textOf(run.state))).toEqual(["ab"]);
  rest.resolve();
  await settled;
  expect(thread.read()[0]).toMatchObject({ query: "Tea?", run: { state: { phase: "done" } } });
});

test("stopping ends the run under way for the platform too", async () => {
  let isEnded = false;
  const began = Promise.withResolvers<void>();
  const { thread, settled } = threadOf({
    async *ask(_, signal) {
      began.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      isEnded = true;
      yield token("late");
    },
  });
  thread.ask({ query: "Tea?" });
  await began.promise;
  thread.stop();
  await settled;
  expect(isEnded).toBe(true);
  expect(thread.read()[0]?.run.state).toMatchObject({ phase: "stopped", parts: [] });
});

test("a refused run shows its refusal, and the next one is asked all the same", async () => {
  const refusal = new Error("No credits.");
  const { thread, settled } = threadOf({
    // biome-ignore lint/correctness/useYield: refused before its first frame
    async *ask() {
      throw refusal;
    },
  });
  thread.ask({ query: "Tea?" });
  await settled;
  expect(thread.read()[0]?.run.state).toMatchObject({ phase: "failed", failure: { thrown: refusal } });
  thread.ask({ query: "Coffee?" });
  expect(thread.read().map(({ query }) => query)).toEqual(["Tea?", "Coffee?"]);
});

test("a decision goes to the approval that the run waits for", async () => {
  const decided: unknown[] = [];
  const end = Promise.withResolvers<void>();
  const paused = Promise.withResolvers<void>();
  const { thread } = threadOf({
    async *ask() {
      yield {
        type: "approval_required",
        invocation_id: "i",
        status: "awaiting_approval",
        approval_id: "a9",
        session_id: "s",
      };
    },
    async *decide(...call) {
      decided.push(call.slice(0, 3));
      yield done;
    },
    settled: ({ state }) => (state.phase === "waiting" ? paused.resolve() : end.resolve()),
  });
  thread.ask({ query: "Tea?" });
  await paused.promise;
  const key = thread.read()[0]?.key ?? "";
  thread.decide(key, "kettle", "approve", { comment: "go" });
  thread.decide(key, "kettle", "approve", { comment: "twice" });
  await end.promise;
  expect(decided).toEqual([["a9", "approve", { comment: "go" }]]);
  expect(thread.read()[0]?.run.state.phase).toBe("done");
});

test("a decision after someone else's leaves no mark and is not a failure of the run", async () => {
  const paused = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const { thread } = threadOf({
    async *ask() {
      yield {
        type: "approval_required",
        invocation_id: "i",
        status: "awaiting_approval",
        approval_id: "a9",
        session_id: "s",
      };
    },
    // biome-ignore lint/correctness/useYield: refused before its first frame
    async *decide() {
      throw new AppError("conflict", "approval_decided", "The approval was already decided: rejected.");
    },
    settled: ({ state }) => (state.phase === "waiting" ? paused.resolve() : end.resolve()),
  });
  thread.ask({ query: "Tea?" });
  await paused.promise;
  thread.decide(thread.read()[0]?.key ?? "", "kettle", "approve", { comment: "go" });
  await end.promise;
  const run = thread.read()[0]?.run;
  expect(run?.state).toMatchObject({ phase: "taken", parts: [], taken: { code: "approval_decided" } });
  expect(run?.state.failure).toBeUndefined();
  expect(run?.awaiting).toBeUndefined();
});
