import { expect, test } from "bun:test";
import {
  interruptedPlatformRun,
  type PlatformRun,
  resumedPlatformRun,
  startedPlatformRun,
  type TimedPlatformFrame,
  withPlatformFrames,
} from "../../../../../src/console/platform/tenant/runs/platform-run.ts";
import { textOf } from "../../../../../src/console/runs/run-state.ts";
import type { PlatformFrame } from "../../../../../src/contracts/platform/clients/run-client.ts";
import type { RunDoneFrame } from "../../../../../src/contracts/platform/runs/run-frames.ts";

const done = (answer: string): RunDoneFrame => ({
  type: "done",
  invocation_id: "i1",
  status: "ok",
  session_id: "s1",
  answer,
  usage: { tokens_in: 3, tokens_out: 2, by_model: [] },
  credits_charged_micros: 1500,
  pricing_status: "priced",
});
const awaiting: PlatformFrame = {
  type: "approval_required",
  invocation_id: "i1",
  status: "awaiting_approval",
  approval_id: "a1",
  session_id: "s1",
};
const timed = (...frames: PlatformFrame[]): TimedPlatformFrame[] =>
  frames.map((frame, at) => ({ frame, atMs: 10 + at }));
const run = (...frames: PlatformFrame[]): PlatformRun =>
  withPlatformFrames(startedPlatformRun(0), timed(...frames));

test("tokens become the answer, and the last frame says what was charged", () => {
  const state = run(
    { type: "token", content: "Yes, " },
    { type: "token", content: "tea." },
    done("Yes, tea."),
  );
  expect(textOf(state.state)).toBe("Yes, tea.");
  expect(state).toMatchObject({
    invocationId: "i1",
    sessionId: "s1",
    result: { credits_charged_micros: 1500 },
    state: { phase: "done", firstTokenMs: 10, endedMs: 12 },
  });
});

test("an answer that no token carried is shown, and no part of it twice", () => {
  expect(textOf(run(done("All of it.")).state)).toBe("All of it.");
  expect(textOf(run({ type: "token", content: "All " }, done("All of it.")).state)).toBe("All of it.");
});

test("calls keep their times and results", () => {
  const state = run(
    { type: "tool_call", id: "c1", tool: "clock", input: { zone: "UTC" } },
    { type: "tool_result", id: "c1", tool: "clock", ok: true, output: { hour: 3 } },
  );
  expect(state.state.parts).toEqual([
    {
      kind: "tool",
      id: "c1",
      tool: "clock",
      input: { zone: "UTC" },
      beganMs: 10,
      endedMs: 11,
      ok: true,
      output: { hour: 3 },
    },
  ]);
  expect(state.state.phase).toBe("running");
});

test("a waiting run continues with the decision, and its note is where the decision was made", () => {
  const waiting = run(awaiting);
  expect(waiting).toMatchObject({ awaiting: { approval_id: "a1" }, state: { phase: "waiting" } });
  const going = resumedPlatformRun(waiting, "clock", "reject", "not now");
  expect(going).not.toHaveProperty("awaiting");
  expect(going.state).toMatchObject({
    phase: "running",
    parts: [{ kind: "decision", tool: "clock", verdict: "reject", comment: "not now" }],
  });
  expect(withPlatformFrames(going, timed(done("Then not."))).state.phase).toBe("done");
});

test.each([
  ["error", "failed"],
  ["timeout", "failed"],
  ["interrupted", "failed"],
  ["cancelled", "stopped"],
] as const)("a run that ended as %s is %s, with its code", (status, phase) => {
  const state = run({
    type: "error",
    invocation_id: "i1",
    status,
    error_code: "some_code",
    message: "It went wrong.",
  });
  expect(state).toMatchObject({ invocationId: "i1", state: { phase, failure: { code: "some_code" } } });
});

test("a cut connection ends what runs, and nothing that has ended", () => {
  const thrown = new Error("gone");
  expect(interruptedPlatformRun(run(), thrown, false, 5).state).toMatchObject({
    phase: "failed",
    failure: { thrown },
  });
  expect(interruptedPlatformRun(run(), thrown, true, 5).state).toMatchObject({ phase: "stopped" });
  expect(interruptedPlatformRun(run(done("x")), thrown, false, 99)).toEqual(run(done("x")));
  expect(interruptedPlatformRun(run(awaiting), thrown, false, 99)).toEqual(run(awaiting));
});
