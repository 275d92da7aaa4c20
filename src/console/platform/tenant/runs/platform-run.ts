import type { PlatformFrame } from "../../../../contracts/platform/clients/run-client.ts";
import type { RunApprovalFrame, RunDoneFrame } from "../../../../contracts/platform/runs/run-frames.ts";
import {
  type ApprovalChoice,
  interruptedRun,
  refusedRun,
  resumedRun,
  type ShownRun,
  startedRun,
  type TimedFrame,
  textOf,
  withFrames,
} from "../../../runs/run-state.ts";

/** A tenant's run as a page shows it: its frames so far, and the platform's final facts. */
export interface PlatformRun {
  /** The pieces of the answer, the calls and their times. */
  state: ShownRun;
  invocationId?: string;
  sessionId?: string;
  /** Set once the run is done; includes the charge. */
  result?: RunDoneFrame;
  /** Set while the run waits for a person. */
  awaiting?: RunApprovalFrame;
}

export const startedPlatformRun = (nowMs: number): PlatformRun => ({ state: startedRun(nowMs) });

/** A frame and its time of arrival. */
export interface TimedPlatformFrame {
  frame: PlatformFrame;
  atMs: number;
}

/** Returns the run after some frames. */
export function withPlatformFrames(run: PlatformRun, frames: readonly TimedPlatformFrame[]): PlatformRun {
  let next = run;
  let pending: TimedFrame[] = [];
  for (const { frame, atMs } of frames) {
    if (!isLast(frame)) {
      pending.push({ frame, atMs });
      continue;
    }
    next = ended({ ...next, state: withFrames(next.state, pending) }, frame, atMs);
    pending = [];
  }
  return pending.length === 0 ? next : { ...next, state: withFrames(next.state, pending) };
}

/** Returns the run after its connection failed or was refused, or the reader stopped it. */
export const interruptedPlatformRun = (
  run: PlatformRun,
  thrown: unknown,
  isStopped: boolean,
  nowMs: number,
): PlatformRun => ({ ...run, state: interruptedRun(run.state, thrown, isStopped, nowMs) });

/** Returns the run after the platform refused a decision: it still waits, or is taken. Returns undefined if the error is no such refusal. */
export function refusedPlatformRun(waiting: PlatformRun, thrown: unknown): PlatformRun | undefined {
  const state = refusedRun(waiting.state, thrown);
  if (state === undefined) return undefined;
  const { awaiting, ...run } = waiting;
  return { ...run, state, ...(state.phase === "waiting" && awaiting !== undefined && { awaiting }) };
}

/** Returns the run as it continues after a person's decision. */
export function resumedPlatformRun(
  { awaiting: _, ...run }: PlatformRun,
  tool: string,
  verdict: ApprovalChoice,
  comment?: string,
): PlatformRun {
  const note = comment === undefined ? {} : { comment };
  return { ...run, state: resumedRun(run.state, { kind: "decision", tool, verdict, ...note }) };
}

type LastFrame = Extract<PlatformFrame, { invocation_id: string }>;

const isLast = (frame: PlatformFrame): frame is LastFrame =>
  "invocation_id" in frame && ["done", "error", "approval_required"].includes(frame.type);

function ended(run: PlatformRun, frame: LastFrame, nowMs: number): PlatformRun {
  const known = { ...run, invocationId: frame.invocation_id };
  switch (frame.type) {
    case "done":
      return {
        ...known,
        sessionId: frame.session_id,
        result: frame,
        state: { ...withAnswer(run.state, frame.answer, nowMs), phase: "done", endedMs: nowMs },
      };
    case "approval_required":
      return {
        ...known,
        sessionId: frame.session_id,
        awaiting: frame,
        state: { ...run.state, phase: "waiting", endedMs: nowMs },
      };
    case "error":
      return {
        ...known,
        state: {
          ...run.state,
          phase: frame.status === "cancelled" ? "stopped" : "failed",
          failure: { code: frame.error_code, thrown: new Error(frame.message) },
          endedMs: nowMs,
        },
      };
  }
}

/** Adds the part of the answer that no token contained: after some decisions, the run sends only its end. */
function withAnswer(state: ShownRun, answer: string, nowMs: number): ShownRun {
  const text = textOf(state);
  if (text === answer || answer === "") return state;
  const missing = answer.startsWith(text) ? answer.slice(text.length) : answer;
  return withFrames(state, [{ frame: { type: "token", content: missing }, atMs: nowMs }]);
}
