import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { type CallGuard, createCallGuard } from "../../kit/outages/call-guard.ts";

/** 503 of a store that can't work now; `message` says what to do and contains no address, key or statement. */
export function storeUnavailable(message: string, cause?: unknown): AppError {
  return new AppError("unavailable", "vectors_unavailable", message, { cause });
}

/** 503 for a server that is unreachable, too busy or silent; not caused by the request. */
export class StoreOutage extends AppError {
  constructor(message: string, cause?: unknown, retryAfterSeconds?: number) {
    const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    super("unavailable", "vectors_unavailable", message, { cause, details });
  }
}

/** Owner of the calls that are for no tenant, such as checks. */
export const noTenant = "";

/** Blocks calls to a server that is down, for each tenant by itself; see `CallGuard`. */
export function guardStore(server: string, clock: Clock): CallGuard {
  return createCallGuard({
    clock,
    isOutage: (thrown) => thrown instanceof StoreOutage,
    refuse(waitMs) {
      const seconds = Math.ceil(waitMs / 1000);
      const message = `${server} failed several times in a row and is tried again in ${seconds} s; see that it runs.`;
      return new StoreOutage(message, undefined, seconds);
    },
  });
}

/** 409 for vectors that can't be compared with those of the collection. */
export function dimensionMismatch(dimension: number, given: number): AppError {
  return new AppError(
    "conflict",
    "dimension_mismatch",
    `The collection holds vectors of ${dimension} numbers, not of ${given}: it was filled with another embedder. Use that one, or delete the collection and fill it again.`,
    { details: { facts: { dimension, given } } },
  );
}
