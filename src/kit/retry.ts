import { type Clock, sleep } from "./clock.ts";

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** Returns `delayMs` spread evenly over 80% to 120%, so that callers that failed together do not retry together. */
export function withJitter(delayMs: number, random: Random): number {
  return delayMs * (0.8 + 0.4 * random());
}

export interface RetryOptions {
  /** Total number of calls of `fn`, at least 1. */
  attempts: number;
  /** The waits after the first failure, the second, and so on; the last one repeats. Each is jittered. */
  delaysMs: readonly number[];
  clock: Clock;
  random: Random;
  /** Returns true if the error may be temporary; `attempt` starts at 1. */
  shouldRetry: (thrown: unknown, attempt: number) => boolean;
  /** Ends the wait with its reason; `fn` must watch it itself. */
  signal?: AbortSignal;
}

/** Returns the wait after failed attempt number `attempt` (from 1), without jitter. */
export function retryDelayMs(delaysMs: readonly number[], attempt: number): number {
  return delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0;
}

/** Calls `fn` until it succeeds. Throws the error of the last attempt, or the signal's reason. */
export async function retry<T>(fn: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { attempts, delaysMs, clock, random, shouldRetry, signal } = options;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await fn(attempt);
    } catch (thrown) {
      if (attempt >= attempts || signal?.aborted || !shouldRetry(thrown, attempt)) throw thrown;
    }
    await sleep(clock, withJitter(retryDelayMs(delaysMs, attempt), random), signal);
  }
}
