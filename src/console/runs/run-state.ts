import type { ApprovalDecision } from "../../contracts/daemon/runs/approvals.ts";
import type { StreamFrame } from "../../contracts/daemon/runs/run.ts";
import { refusalOf, runFailure } from "../../contracts/refusal.ts";

type FrameOf<Type extends StreamFrame["type"]> = Extract<StreamFrame, { type: Type }>;

/** Frames of a run for a page: the daemon's, and a notice that the run could not be recorded and was started again without a recording. */
export type PlayFrame = StreamFrame | { type: "unrecorded"; message: string };

/** A tool call with its state so far. */
export interface ToolPart {
  kind: "tool";
  id: string;
  tool: string;
  input: Record<string, unknown>;
  beganMs: number;
  endedMs?: number;
  ok?: boolean;
  output?: unknown;
}

/** An event between the words of an answer. */
export type Mark =
  | { kind: "step"; name: string; content: string }
  | { kind: "handoff"; from: string; to: string; reason?: string }
  | { kind: "guardrail"; guardrail: string; stage: string; outcome: string; hits: number }
  | { kind: "decision"; tool: string; verdict: ApprovalChoice; comment?: string }
  | { kind: "answer"; tool: string; failed: boolean };

/** One part of a run, in order of arrival. */
export type ConversationPart = { kind: "text"; text: string } | ToolPart | Mark;

export type ApprovalChoice = "approve" | "reject";

/** Decides on a call, or on a question of its server. */
export type Decide = (verdict: ApprovalChoice, request: ApprovalDecision) => void;

/** The frame that a paused run waits on. */
export type Awaited = FrameOf<"approval_required"> | FrameOf<"tool_result_required">;

/** A call that was decided or answered elsewhere, or expired before the decision on this page. */
export interface TakenCall {
  code: LateCode;
  /** Undefined for a run of the platform. */
  awaited: Awaited | undefined;
}

/** Codes of decisions and results that came too late. */
const lateCodes = [
  "approval_decided",
  "approval_expired",
  "tool_call_answered",
  "tool_call_expired",
] as const;
export type LateCode = (typeof lateCodes)[number];

export const lateCodeOf = (thrown: unknown): LateCode | undefined =>
  lateCodes.find((code) => code === refusalOf(thrown)?.code);

/** Why a run failed, and where it can be looked at. */
export interface RunFailure {
  code?: string;
  thrown: unknown;
  traceId?: string;
  cassette?: string;
}

/**
 * A run as a page shows it. It runs until its last frame. It may wait for a person or for a result from its caller, and then runs again. In
 * the end it is done, failed, stopped by the reader, or taken: someone else's decision came first, or the wait expired, so this page gets no
 * more frames.
 */
export interface ShownRun {
  phase: "running" | "waiting" | "done" | "failed" | "stopped" | "taken";
  parts: readonly ConversationPart[];
  beganMs: number;
  /** Time of the first piece of the answer. */
  firstTokenMs?: number;
  endedMs?: number;
  awaited?: Awaited;
  /** Why the server refused the last decision or result. The run still waits. */
  refused?: unknown;
  /** Set in phase `taken`. */
  taken?: TakenCall;
  done?: FrameOf<"done">;
  failure?: RunFailure;
  /** Why there is no recording although one was wished. */
  unrecorded?: string;
}

export const startedRun = (nowMs: number): ShownRun => ({ phase: "running", parts: [], beganMs: nowMs });

/** A frame and its time of arrival. */
export interface TimedFrame {
  frame: PlayFrame;
  atMs: number;
}

/** Returns the run after some frames. Consecutive tokens become one piece of text. */
export function withFrames(state: ShownRun, frames: readonly TimedFrame[]): ShownRun {
  let next = state;
  let tokens: { text: string; atMs: number } | undefined;
  for (const { frame, atMs } of frames) {
    if (frame.type === "token") {
      if (tokens === undefined) tokens = { text: frame.content, atMs };
      else tokens.text += frame.content;
      continue;
    }
    if (tokens !== undefined) next = withText(next, tokens.text, tokens.atMs);
    tokens = undefined;
    next = withFrame(next, frame, atMs);
  }
  return tokens === undefined ? next : withText(next, tokens.text, tokens.atMs);
}

/** Returns the run after one frame other than a token. */
function withFrame(state: ShownRun, frame: Exclude<PlayFrame, FrameOf<"token">>, nowMs: number): ShownRun {
  switch (frame.type) {
    case "tool_call": {
      const { id, tool, input } = frame;
      return withPart(state, { kind: "tool", id, tool, input, beganMs: nowMs });
    }
    case "tool_result":
      return withToolResult(state, frame, nowMs);
    case "step":
      return withPart(state, { kind: "step", name: frame.name, content: frame.content });
    case "handoff": {
      const { type: _, ...handoff } = frame;
      return withPart(state, { kind: "handoff", ...handoff });
    }
    case "guardrail": {
      const { type: _, ...mark } = frame;
      return withPart(state, { kind: "guardrail", ...mark });
    }
    case "approval_required":
    case "tool_result_required":
      return { ...state, phase: "waiting", awaited: frame, endedMs: nowMs };
    case "done":
      return { ...withMissingText(state, frame.response, nowMs), phase: "done", done: frame, endedMs: nowMs };
    case "error": {
      const thrown = runFailure(frame.error, frame.message, frame.details?.provider_message);
      const failure = { code: frame.error, thrown, ...placesIn(frame) };
      return { ...state, phase: "failed", failure, endedMs: nowMs };
    }
    case "unrecorded":
      return { ...state, unrecorded: frame.message };
  }
}

/** Returns the run after its connection failed or the reader stopped it. */
export function interruptedRun(
  state: ShownRun,
  thrown: unknown,
  isStopped: boolean,
  nowMs: number,
): ShownRun {
  if (state.phase !== "running") return state;
  if (isStopped) return { ...state, phase: "stopped", endedMs: nowMs };
  const failure = { thrown, ...placesIn(refusalOf(thrown)?.facts ?? {}) };
  return { ...state, phase: "failed", failure, endedMs: nowMs };
}

/** Codes and statuses of a server that did nothing with a decision or result. Other errors may come from the resumed run. */
const untouchedCodes: ReadonlySet<string> = new Set(["agent_changed", "tool_result_too_large"]);
const untouchedStatuses: ReadonlySet<number | undefined> = new Set([401, 403, 404]);

/**
 * Returns the run after the server refused a decision or result: it still waits, or is taken. Returns undefined if the error is no such
 * refusal.
 */
export function refusedRun(waiting: ShownRun, thrown: unknown): ShownRun | undefined {
  const code = lateCodeOf(thrown);
  const { awaited, refused: _, ...rest } = waiting;
  if (code !== undefined) return { ...rest, phase: "taken", taken: { code, awaited } };
  const refusal = refusalOf(thrown);
  if (refusal === undefined) return undefined;
  const isUntouched = untouchedCodes.has(refusal.code) || untouchedStatuses.has(refusal.status);
  return isUntouched ? { ...waiting, refused: thrown } : undefined;
}

/** The trace and the recording that an error names. */
function placesIn(error: {
  trace_id?: unknown;
  cassette?: unknown;
}): Pick<RunFailure, "traceId" | "cassette"> {
  const { trace_id: traceId, cassette } = error;
  return {
    ...(typeof traceId === "string" ? { traceId } : {}),
    ...(typeof cassette === "string" ? { cassette } : {}),
  };
}

/** Returns the run as it continues with the decision or result that it waited for. */
export function resumedRun(state: ShownRun, part: Extract<Mark, { kind: "decision" | "answer" }>): ShownRun {
  const { awaited: _, endedMs: __, refused: ___, ...rest } = withPart(state, part);
  return { ...rest, phase: "running" };
}

const withPart = (state: ShownRun, part: ConversationPart): ShownRun => ({
  ...state,
  parts: [...state.parts, part],
});

function withText(state: ShownRun, text: string, nowMs: number): ShownRun {
  if (text === "") return state;
  const last = state.parts.at(-1);
  const parts =
    last?.kind === "text"
      ? [...state.parts.slice(0, -1), { kind: "text" as const, text: last.text + text }]
      : [...state.parts, { kind: "text" as const, text }];
  return { ...state, parts, firstTokenMs: state.firstTokenMs ?? nowMs };
}

/** Adds the part of the answer that no token contained: after a decision without a stream, or with a pattern that sends only its end. */
function withMissingText(state: ShownRun, response: string, nowMs: number): ShownRun {
  const text = textOf(state);
  if (text === response) return state;
  return withText(state, response.startsWith(text) ? response.slice(text.length) : response, nowMs);
}

/** Adds a result to the first call with that id and no result yet: ids may repeat in a later part of the run. */
function withToolResult(state: ShownRun, frame: FrameOf<"tool_result">, nowMs: number): ShownRun {
  const at = state.parts.findIndex(
    (part) => part.kind === "tool" && part.id === frame.id && part.endedMs === undefined,
  );
  const { id, tool, ok, output } = frame;
  const ended = { ok, output, endedMs: nowMs };
  const call = state.parts[at];
  if (call?.kind !== "tool") {
    return withPart(state, { kind: "tool", id, tool, input: {}, beganMs: nowMs, ...ended });
  }
  return { ...state, parts: state.parts.with(at, { ...call, ...ended }) };
}

/** Returns the text of the answer so far. */
export const textOf = ({ parts }: ShownRun): string =>
  parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
