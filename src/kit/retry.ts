import { type Clock, sleep } from "./clock.ts";

/** A number from 0 up to, but without, 1. */
export type Random = () => number;

/** `delayMs`, spread evenly over 80% to 120%, so that those who failed together don't come back together. */
export function withJitter(delayMs: number, random: Random): number {
  return delayMs * (0.8 + 0.4 * random());
}

export interface RetryOptions {
  /** How often `fn` is called in all, at least once. */
  attempts: number;
  /** The wait after the first failure, the second, …; the last one repeats. Each is jittered. */
  delaysMs: readonly number[];
  clock: Clock;
  random: Random;
  /** Whether what was thrown may pass by itself; `attempt` starts at 1. */
  shouldRetry: (thrown: unknown, attempt: number) => boolean;
  /** Ends the waiting with its reason; `fn` has to watch it by itself. */
  signal?: AbortSignal;
}

/** The wait before the try that follows failed try number `attempt` (from 1), without jitter. */
export function retryDelayMs(delaysMs: readonly number[], attempt: number): number {
  return delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0;
}

/** Calls `fn` until it succeeds; throws what the last try threw, or the signal's reason. */
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
