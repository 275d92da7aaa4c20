import { acquireLease, type Lease } from "./lease.ts";
import type { Storage } from "./storage.ts";
import { keepLease, type LeasedWork } from "./while-leased.ts";

/**
 * Works once under the lease, and frees it. Returns undefined at once if another owner holds it. `signal` of the work aborts with
 * `lease_lost` when the lease can't be kept, and with the reason of the given one.
 */
export async function underLease<Result>(
  storage: Storage,
  leased: Omit<LeasedWork, "work">,
  work: (lease: Lease, signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<{ result: Result } | undefined> {
  const lease = await acquireLease(storage, leased);
  if (lease === undefined) return undefined;
  return { result: await keepLease(lease, storage, leased, (held) => work(lease, held), signal) };
}
