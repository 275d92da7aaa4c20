import type { AppError } from "../../../kit/app-error.ts";
import { retryDelayMs } from "../../../kit/retry.ts";
import type { Message } from "../../models/model.ts";
import { ModelFailure } from "../../models/model-failure.ts";

/** Longest wait: a caller is told of a longer one, and comes back. */
const waitMsMax = 60_000;
const waitsMax = 10;

/**
 * How long a run waits before it asks a throttled provider again, in milliseconds; undefined if it fails instead. Only a run that has called
 * tools waits: its work would be lost. The run's own time limit ends a wait.
 */
export function throttledWaitMs(
  error: AppError,
  messages: readonly Message[],
  waits: number,
): number | undefined {
  if (waits >= waitsMax || !messages.some(({ role }) => role === "tool")) return undefined;
  const failure = [error, error.cause].find((one) => one instanceof ModelFailure);
  if (failure?.sign?.sign !== "throttled") return undefined;
  const seconds = error.details.retryAfterSeconds ?? failure.retryAfterSeconds;
  const waitMs = seconds === undefined ? retryDelayMs(delaysMs, waits + 1) : Math.max(seconds, 1) * 1000;
  return waitMs > waitMsMax ? undefined : waitMs;
}

/** Waits for providers that name no time. */
const delaysMs = [1000, 2000, 4000, 8000, 15_000, 30_000];
