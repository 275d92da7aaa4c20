import type { RuntimeFrame } from "../../../contracts/runtime/client.ts";
import { AppError } from "../../../kit/app-error.ts";

/**
 * The frames that `start` gives. A runtime that has lost the agent meanwhile, or has another version of it, is given it by `push`
 * and asked again, once; nothing has been run then.
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

/** Frames that can be waited for until a signal aborts. */
export interface CutFrames {
  /** The next frame, undefined after the last; rejects with the signal's reason. */
  next(): Promise<RuntimeFrame | undefined>;
  /** Ends the source without waiting for it. */
  end(): void;
}

/** The frames of `source`, asked for with the first; the signal ends the wait for them, since a source that hangs can't be ended. */
export function cutFrames(source: () => AsyncIterable<RuntimeFrame>, signal: AbortSignal): CutFrames {
  let frames: AsyncIterator<RuntimeFrame> | undefined;
  const { promise: cut, reject } = Promise.withResolvers<never>();
  cut.catch(() => {});
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return {
    async next() {
      frames ??= source()[Symbol.asyncIterator]();
      const { value, done } = await Promise.race([frames.next(), cut]);
      return done ? undefined : value;
    },
    end() {
      frames?.return?.().catch(() => {});
    },
  };
}
