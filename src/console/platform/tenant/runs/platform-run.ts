import type { PlatformFrame } from "../../../../contracts/platform/clients/run-client.ts";
import type { RunApprovalFrame, RunDoneFrame } from "../../../../contracts/platform/runs/run-frames.ts";
import {
  begunRun,
  cutOff,
  goneOn,
  type RunState,
  type Told,
  textOf,
  type Verdict,
  withFrames,
} from "../../../runs/run-state.ts";

/** A tenant's run as a page shows it: its frames so far, and the platform's final facts. */
export interface PlatformRun {
  /** The pieces of the answer, the calls and their times. */
  told: RunState;
  invocationId?: string;
  sessionId?: string;
  /** Set once the run is done; includes the charge. */
  result?: RunDoneFrame;
  /** Set while the run waits for a person. */
  awaiting?: RunApprovalFrame;
}

export const begunPlatformRun = (nowMs: number): PlatformRun => ({ told: begunRun(nowMs) });

/** A frame and its time of arrival. */
export interface ToldFrame {
  frame: PlatformFrame;
  atMs: number;
}

/** Returns the run after some frames. */
export function withPlatformFrames(run: PlatformRun, frames: readonly ToldFrame[]): PlatformRun {
  let next = run;
  let onTheWay: Told[] = [];
  for (const { frame, atMs } of frames) {
    if (!isLast(frame)) {
      onTheWay.push({ frame, atMs });
      continue;
    }
    next = ended({ ...next, told: withFrames(next.told, onTheWay) }, frame, atMs);
    onTheWay = [];
  }
  return onTheWay.length === 0 ? next : { ...next, told: withFrames(next.told, onTheWay) };
}

/** Returns the run after its connection failed or was refused, or the reader stopped it. */
export const platformCutOff = (
  run: PlatformRun,
  thrown: unknown,
  isStopped: boolean,
  nowMs: number,
): PlatformRun => ({ ...run, told: cutOff(run.told, thrown, isStopped, nowMs) });

/** Returns the run as it continues after a person's decision. */
export function platformGoneOn(
  { awaiting: _, ...run }: PlatformRun,
  tool: string,
  verdict: Verdict,
  comment: string,
): PlatformRun {
  const note = comment === "" ? {} : { comment };
  return { ...run, told: goneOn(run.told, { kind: "decision", tool, verdict, ...note }) };
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
        told: { ...withAnswer(run.told, frame.answer, nowMs), phase: "done", endedMs: nowMs },
      };
    case "approval_required":
      return {
        ...known,
        sessionId: frame.session_id,
        awaiting: frame,
        told: { ...run.told, phase: "waiting", endedMs: nowMs },
      };
    case "error":
      return {
        ...known,
        told: {
          ...run.told,
          phase: frame.status === "cancelled" ? "stopped" : "failed",
          failure: { code: frame.error_code, thrown: new Error(frame.message) },
          endedMs: nowMs,
        },
      };
  }
}

/** Adds the part of the answer that no token contained: after some decisions, the run sends only its end. */
function withAnswer(told: RunState, answer: string, nowMs: number): RunState {
  const text = textOf(told);
  if (text === answer || answer === "") return told;
  const missing = answer.startsWith(text) ? answer.slice(text.length) : answer;
  return withFrames(told, [{ frame: { type: "token", content: missing }, atMs: nowMs }]);
}
