import { type AppError, toAppError } from "../../../kit/app-error.ts";
import { sleep } from "../../../kit/clock.ts";
import { retryDelayMs } from "../../../kit/retry.ts";
import { ModelFailure } from "../../models/model-failure.ts";
import type { RoutedEvent } from "../../models/model-router.ts";
import type { ModelCaller } from "../pattern.ts";
import type { CallSpans } from "./call-spans.ts";

/** Longest wait: a caller is told of a longer one, and comes back. */
const waitMsMax = 60_000;
const waitsMax = 10;
/** Waits for providers that name no time. */
const delaysMs = [1000, 2000, 4000, 8000, 15_000, 30_000];

/**
 * Calls a model, and again after a wait if a throttled provider refused before anything came. For a run whose work would be lost; the run's
 * own time limit ends a wait.
 */
export function patientCall(
  call: () => AsyncIterable<RoutedEvent>,
  run: Pick<ModelCaller, "clock" | "signal" | "log" | "trace">,
  spans: CallSpans,
): AsyncIterable<RoutedEvent> {
  let events = call()[Symbol.asyncIterator]();
  let hasBegun = false;
  const first = async (): Promise<IteratorResult<RoutedEvent>> => {
    for (let waits = 0; ; waits++) {
      try {
        const event = await events.next();
        hasBegun = true;
        return event;
      } catch (thrown) {
        const waitMs = throttledWaitMs(toAppError(thrown), waits);
        if (waitMs === undefined) throw thrown;
        spans.note("throttled_waits", waits + 1);
        run.log.info("provider.throttled", { wait_ms: waitMs, trace_id: run.trace.traceId });
        await sleep(run.clock, waitMs, run.signal);
        events = call()[Symbol.asyncIterator]();
      }
    }
  };
  return {
    [Symbol.asyncIterator]: () => ({
      // Hot path: an event costs no promise more than without this.
      next: () => (hasBegun ? events.next() : first()),
      return: async (value?: unknown) => (await events.return?.(value)) ?? { done: true, value: undefined },
    }),
  };
}

/** The wait before the next try, in milliseconds; undefined if the failure stands. */
function throttledWaitMs(error: AppError, waits: number): number | undefined {
  const failure = [error, error.cause].find((one) => one instanceof ModelFailure);
  if (waits >= waitsMax || failure?.sign?.sign !== "throttled") return undefined;
  const seconds = error.details.retryAfterSeconds ?? failure.retryAfterSeconds;
  const waitMs = seconds === undefined ? retryDelayMs(delaysMs, waits + 1) : Math.max(seconds, 1) * 1000;
  return waitMs > waitMsMax ? undefined : waitMs;
}
