import type { RuntimeFrame } from "../../contracts/runtime/client.ts";
import { AppError } from "../../kit/app-error.ts";

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

/** The end of a reader's patience. Every run has one, and a signal of the system would cost microseconds. */
export class CutOff {
  #cut: { reason: unknown } | undefined;
  #listener: ((reason: unknown) => void) | undefined;

  /** Undefined until it is cut. */
  get cut(): { reason: unknown } | undefined {
    return this.#cut;
  }

  /** Cuts for this reason; later calls do nothing. */
  now(reason: unknown): void {
    if (this.#cut !== undefined) return;
    this.#cut = { reason };
    this.#listener?.(reason);
  }

  /** Calls `listener` in place of the one before when it is cut. */
  hear(listener: (reason: unknown) => void): void {
    this.#listener = listener;
  }
}

/** Frames that can be awaited until they are cut off. */
export interface CutFrames {
  /** Returns the next frame, or undefined after the last one. Rejects with the cut's reason. */
  next(): Promise<RuntimeFrame | undefined>;
  /** Ends the source without waiting for it. */
  end(): void;
}

/** Reads the frames of `source`, which starts with the first read. The cut ends the wait, because a source that hangs can't be ended. */
export function cutFrames(source: () => AsyncIterable<RuntimeFrame>, cutOff: CutOff): CutFrames {
  let frames: AsyncIterator<RuntimeFrame> | undefined;
  return {
    next() {
      if (cutOff.cut !== undefined) return Promise.reject(cutOff.cut.reason);
      frames ??= source()[Symbol.asyncIterator]();
      const reading = frames.next();
      return new Promise((resolve, reject) => {
        cutOff.hear(reject);
        reading.then(({ value, done }) => resolve(done ? undefined : value), reject);
      });
    },
    end() {
      frames?.return?.().catch(() => {});
    },
  };
}
