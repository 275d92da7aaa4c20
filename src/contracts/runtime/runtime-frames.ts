import { AppError } from "../../kit/app-error.ts";
import type { RuntimeFrame } from "./client.ts";

/**
 * Yields the frames from `start`. If the runtime has lost the agent or has another version, calls `push` to register it and tries again
 * once. Nothing has run by then.
 */
export async function* pushedFrames(
  start: () => AsyncIterable<RuntimeFrame>,
  push: () => Promise<unknown>,
): AsyncGenerator<RuntimeFrame, void> {
  let hasBegun = false;
  try {
    for await (const frame of start()) {
      hasBegun = true;
      yield frame;
    }
    return;
  } catch (thrown) {
    if (hasBegun || !isOutdated(thrown)) throw thrown;
  }
  await push();
  yield* start();
}

function isOutdated(thrown: unknown): boolean {
  return (
    thrown instanceof AppError && (thrown.code === "agent_outdated" || thrown.code === "agent_not_found")
  );
}

/** Frames that can be awaited until a signal aborts. */
export interface CutFrames {
  /** Returns the next frame, or undefined after the last one. Rejects with the signal's reason. */
  next(): Promise<RuntimeFrame | undefined>;
  /** Ends the source without waiting for it. */
  end(): void;
}

/** Reads the frames of `source`, which starts with the first read. The signal ends the wait, because a source that hangs can't be ended. */
export function cutFrames(source: () => AsyncIterable<RuntimeFrame>, signal: AbortSignal): CutFrames {
  let frames: AsyncIterator<RuntimeFrame> | undefined;
  let refuse: ((reason: unknown) => void) | undefined;
  signal.addEventListener("abort", () => refuse?.(signal.reason), { once: true });
  return {
    next() {
      if (signal.aborted) return Promise.reject(signal.reason);
      frames ??= source()[Symbol.asyncIterator]();
      const reading = frames.next();
      return new Promise((resolve, reject) => {
        refuse = reject;
        reading.then(({ value, done }) => resolve(done ? undefined : value), reject);
      });
    },
    end() {
      frames?.return?.().catch(() => {});
    },
  };
}
