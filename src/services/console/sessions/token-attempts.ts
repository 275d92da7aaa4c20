import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { LatestMap } from "../../../kit/latest-map.ts";

/** Counts wrong tokens by the caller's address. */
export interface TokenAttempts {
  /** Throws 429 `too_many_attempts` after too many failures. */
  admit(address: string): void;
  failed(address: string): void;
}

const windowMs = 15 * 60_000;
const failuresMax = 10;
const addressesMax = 10_000;

export function createTokenAttempts(clock: Clock): TokenAttempts {
  const failures = new LatestMap<string, { count: number; endsAtMs: number }>(addressesMax);
  const find = (address: string) => {
    const failure = failures.get(address);
    if (failure === undefined || failure.endsAtMs > clock.monotonicMs()) return failure;
    failures.delete(address);
    return undefined;
  };
  return {
    admit(address) {
      const failure = find(address);
      if (failure === undefined || failure.count < failuresMax) return;
      throw new AppError("rate_limited", "too_many_attempts", "Too many wrong tokens; try again later.", {
        details: { retryAfterSeconds: (failure.endsAtMs - clock.monotonicMs()) / 1000 },
      });
    },
    failed(address) {
      const failure = find(address);
      if (failure !== undefined) {
        failure.count++;
        return;
      }
      failures.set(address, { count: 1, endsAtMs: clock.monotonicMs() + windowMs });
    },
  };
}
