import { expect, test } from "bun:test";
import {
  interruptedRun,
  type PlayFrame,
  resumedRun,
  type ShownRun,
  startedRun,
  textOf,
  withFrames,
} from "../../../src/console/runs/run-state.ts";
import { refusalOf } from "../../../src/contracts/refusal.ts";
import { AppError, withFacts } from "../../../src/kit/app-error.ts";

const done = (response: string): PlayFrame => ({
  type: "done",
  response,
  session_id: "s",
  trace_id: "t",
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  timing: { total_ms: 4 },
  metadata: {
    provider: "p",
    model: "m",
    pattern: "react",
    iterations: 1,
    tokens_used: 3,
    latency_ms: 4,
  },
});
const token = (content: string): PlayFrame => ({ type: "token", content });
const call = (id: string): PlayFrame => ({ type: "tool_call", id, tool: "clock", input: { zone: "UTC" } });
const result = (id: string, ok = true): PlayFrame => ({
  type: "tool_result",
  id,
  tool: "clock",
  ok,
  output: { success: ok },
});
const approval: PlayFrame = {
  type: "approval_required",
  approval_id: "a",
  session_id: "s",
  agent: "clerk",
  tool: "clock",
  expires_at: "2026-03-01T00:00:00.000Z",
};
const toolResult: PlayFrame = {
  type: "tool_result_required",
  call_id: "c",
  session_id: "s",
  agent: "clerk",
  tool: "shelf",
  input: {},
  expires_at: "2026-03-01T00:00:00.000Z",
};

const later = (state: ShownRun, frames: PlayFrame[], atMs: number): ShownRun =>
  withFrames(
    state,
    frames.map((frame) => ({ frame, atMs })),
  );
const after = (...frames: PlayFrame[]): ShownRun => later(startedRun(0), frames, 10);

test("tokens that follow each other are one piece of text, also over several batches", () => {
  const first = after(token("It "), token("is "));
  expect(first.parts).toEqual([{ kind: "text", text: "It is " }]);
  expect(first.firstTokenMs).toBe(10);
  const second = later(first, [token("ten."), call("1"), token("Right.")], 20);
  expect(second.parts.map(({ kind }) => kind)).toEqual(["text", "tool", "text"]);
  expect(textOf(second)).toBe("It is ten.Right.");
  expect(second.firstTokenMs).toBe(10);
});

test("the time of a first word is when it came, also in a batch of many", () => {
  const told = ["a", "b"].map((content, at) => ({ frame: token(content), atMs: 30 + at }));
  expect(withFrames(startedRun(0), told).firstTokenMs).toBe(30);
});

test("a batch without frames changes nothing", () => {
  const state = startedRun(0);
  expect(later(state, [], 10)).toBe(state);
});

test("a result ends its call, and no other", () => {
  const { parts } = later(after(call("1"), call("2")), [result("2", false)], 35);
  expect(parts[0]).toEqual({ kind: "tool", id: "1", tool: "clock", input: { zone: "UTC" }, beganMs: 10 });
  expect(parts[1]).toMatchObject({ id: "2", endedMs: 35, ok: false, output: { success: false } });
});

test("an id that comes again is another call", () => {
  const { parts } = after(call("1"), result("1"), call("1"), result("1", false));
  expect(parts.map((part) => part.kind === "tool" && part.ok)).toEqual([true, false]);
});

test("a result without its call is shown all the same", () => {
  expect(after(result("9")).parts).toMatchObject([{ kind: "tool", id: "9", input: {}, ok: true }]);
});

test("steps, handoffs and guardrails appear where they happened", () => {
  const { parts } = after(
    { type: "step", name: "plan", content: "1. Look." },
    { type: "handoff", from: "desk", to: "expert", reason: "It is hard." },
    { type: "guardrail", guardrail: "pii", stage: "input", outcome: "redacted", hits: 2 },
  );
  expect(parts).toEqual([
    { kind: "step", name: "plan", content: "1. Look." },
    { kind: "handoff", from: "desk", to: "expert", reason: "It is hard." },
    { kind: "guardrail", guardrail: "pii", stage: "input", outcome: "redacted", hits: 2 },
  ]);
});

test("done ends it, and adds the part of the answer that no token carried", () => {
  expect(after(token("Hi."), done("Hi."))).toMatchObject({ phase: "done", endedMs: 10 });
  expect(textOf(after(token("Hi"), done("Hi there.")))).toBe("Hi there.");
  expect(textOf(after(done("All at once.")))).toBe("All at once.");
  expect(after(done("")).parts).toEqual([]);
});

test("an approval pauses it, and after the decision it runs to its end", () => {
  const waiting = after(call("1"), approval);
  expect(waiting).toMatchObject({ phase: "waiting", awaited: { approval_id: "a" } });
  const going = resumedRun(waiting, {
    kind: "decision",
    tool: "clock",
    verdict: "approve",
    comment: "Fine.",
  });
  expect(going.phase).toBe("running");
  expect(going.awaited).toBeUndefined();
  const over = later(going, [result("1"), token("Done."), done("Done.")], 50);
  expect(over.phase).toBe("done");
  expect(over.parts.map(({ kind }) => kind)).toEqual(["tool", "decision", "text"]);
  expect(over.parts[0]).toMatchObject({ ok: true, endedMs: 50 });
});

test("a call of the caller's lets it wait as well", () => {
  const waiting = after(toolResult);
  expect(waiting).toMatchObject({ phase: "waiting", awaited: { call_id: "c" } });
  expect(resumedRun(waiting, { kind: "answer", tool: "shelf", failed: false }).phase).toBe("running");
});

test("an error fails it with the daemon's words", () => {
  const error = { type: "error", error: "timeout", message: "Too slow.", trace_id: "t" } as const;
  const { phase, failure } = after(token("It"), error);
  expect(phase).toBe("failed");
  expect(failure).toMatchObject({ code: "timeout", traceId: "t" });
  expect(refusalOf(failure?.thrown)).toMatchObject({ code: "timeout", message: "Too slow." });
});

test("an error of a provider has its words, for the owner", () => {
  const details = { provider_message: "No such model." };
  const { failure } = after({ type: "error", error: "provider_failed", message: "It failed.", details });
  expect(refusalOf(failure?.thrown)).toMatchObject({ upstreamMessage: "No such model." });
});

test("a run that can't be recorded says so and runs", () => {
  expect(after({ type: "unrecorded", message: "It may wait." })).toMatchObject({
    phase: "running",
    unrecorded: "It may wait.",
  });
});

test("what is cut off was stopped or failed; what is over stays as it is", () => {
  const thrown = new Error("Gone.");
  expect(interruptedRun(startedRun(0), thrown, true, 5)).toMatchObject({ phase: "stopped", endedMs: 5 });
  expect(interruptedRun(startedRun(0), thrown, false, 5)).toMatchObject({
    phase: "failed",
    failure: { thrown },
  });
  const refused = withFacts(new AppError("unavailable", "gone", "Gone."), { trace_id: "t", cassette: "c" });
  expect(interruptedRun(startedRun(0), refused, false, 5).failure).toMatchObject({
    traceId: "t",
    cassette: "c",
  });
  const over = after(done(""));
  expect(interruptedRun(over, thrown, true, 99)).toBe(over);
  const waiting = after(approval);
  expect(interruptedRun(waiting, thrown, false, 99)).toBe(waiting);
});
