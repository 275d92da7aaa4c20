import type { RuntimeFrame } from "../../contracts/runtime/client.ts";
import type { RunEnded } from "../../contracts/runtime/runs.ts";
import { type CutFrames, cutFrames } from "./runtime-frames.ts";
import { type RunWatchDeps, type StopReason, watchRun } from "./watch-run.ts";

/** A run of the runtime, as its control plane follows it. */
export interface FollowedRun {
  runId: string;
  /** Frames from the runtime. The run begins when they are first read. */
  frames: () => AsyncIterable<RuntimeFrame>;
  /** Signals that cancel the run, for example when the caller disconnects. */
  cancelledBy: readonly AbortSignal[];
}

/** The end of a run. */
export interface RunEnd {
  /** The last frame; undefined if the run broke off. */
  ended: RunEnded | undefined;
  /** The error with which it broke off. */
  thrown: unknown;
  /** Undefined if this side did not stop it. */
  stopped: StopReason | undefined;
}

/** What a service does with the frames and the end of a run. */
export interface Following<Shown, Settled, Result> {
  /** Returns what the reader gets of a frame; undefined for nothing. */
  show(frame: Exclude<RuntimeFrame, RunEnded>): Shown | undefined;
  /** Records the end. It is called once in every case, also if the reader has left. */
  settle(end: RunEnd): Settled | Promise<Settled>;
  /** Returns the result for a reader who has not left, or throws the failure of the run. */
  resultOf(settled: Settled, end: RunEnd): Result;
  /** Reads and ends the frames after the last one of a run with `usage_awaited`. Without it, they are not read. */
  readLate?: (frames: CutFrames) => void;
}

/**
 * Follows a run to its last frame: yields what the reader gets and returns the result. If the reader stops early, the run is cancelled, and
 * its frames are read on, because the last one says what it used.
 */
export async function* followRun<Shown, Settled, Result>(
  deps: RunWatchDeps,
  { runId, frames: source, cancelledBy }: FollowedRun,
  { show, settle, resultOf, readLate }: Following<Shown, Settled, Result>,
): AsyncGenerator<Shown, Result> {
  const watch = watchRun(deps, runId, cancelledBy);
  const frames = cutFrames(source, watch.cutOff);
  const end: RunEnd = { ended: undefined, thrown: undefined, stopped: undefined };
  const close = async (): Promise<Settled> => {
    end.stopped = watch.reason;
    watch.close();
    const isLate = end.ended?.usage_awaited === true && readLate !== undefined;
    if (!isLate) frames.end();
    try {
      const settled = await settle(end);
      if (isLate) readLate(frames);
      return settled;
    } catch (thrown) {
      frames.end();
      throw thrown;
    }
  };
  let isRead = true;
  try {
    // If the caller left before the start, the run does not begin.
    let frame = watch.reason === undefined ? await frames.next() : undefined;
    for (; frame !== undefined && frame.type !== "ended"; frame = await frames.next()) {
      const visibleFrame = show(frame);
      if (visibleFrame === undefined) continue;
      isRead = false;
      yield visibleFrame;
      isRead = true;
    }
    end.ended = frame;
  } catch (thrown) {
    end.thrown = thrown;
  } finally {
    if (!isRead) {
      watch.stop("cancelled");
      end.ended = await lastFrame(frames);
      await close();
    }
  }
  return resultOf(await close(), end);
}

async function lastFrame(frames: CutFrames): Promise<RunEnded | undefined> {
  try {
    for (;;) {
      const frame = await frames.next();
      if (frame === undefined || frame.type === "ended") return frame;
    }
  } catch {
    return undefined;
  }
}

/** Reads a run to its end, and ignores what a reader of its frames would get. */
export async function runToEnd<Result>(run: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const { value, done } = await run.next();
    if (done) return value;
  }
}
