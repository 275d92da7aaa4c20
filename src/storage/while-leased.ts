import { AppError } from "../kit/app-error.ts";
import { type Clock, sleep } from "../kit/clock.ts";
import { acquireLease, type Lease, leaseLost, releaseLease, renewLease } from "./lease.ts";
import type { Storage } from "./storage.ts";

export interface LeasedWork {
  name: string;
  owner: string;
  ttlMs: number;
  clock: Clock;
  /** Works until its signal aborts, because `signal` did or because the lease is lost. */
  work: (lease: Lease, signal: AbortSignal) => Promise<void>;
}

/** Waits for the lease, works while it holds the lease, and waits again when it is lost. Returns after `signal` aborts. For workers. */
export async function whileLeased(storage: Storage, leased: LeasedWork, signal: AbortSignal): Promise<void> {
  const { clock, ttlMs } = leased;
  while (!signal.aborted) {
    const lease = await acquireLease(storage, leased);
    const work = (held: AbortSignal) => leased.work(lease as Lease, held);
    if (lease) await keepLease(lease, storage, leased, work, signal).catch(rethrowUnlessLost);
    await pause(clock, ttlMs / 3, signal);
  }
}

/** Works while the lease is renewed, then frees it. The signal of the work aborts with `lease_lost` when the lease can't be kept. */
export async function keepLease<Result>(
  lease: Lease,
  storage: Storage,
  { clock, ttlMs }: Omit<LeasedWork, "work">,
  work: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const loss = new AbortController();
  const done = new AbortController();
  const renewing = renewUntil(done.signal, lease, storage, { clock, ttlMs }).catch(() =>
    loss.abort(leaseLost(lease)),
  );
  try {
    return await work(AbortSignal.any([signal, loss.signal]));
  } catch (thrown) {
    throw loss.signal.aborted ? loss.signal.reason : thrown;
  } finally {
    done.abort();
    await renewing;
    if (!loss.signal.aborted) await releaseLease(storage, lease);
  }
}

/** Renews the lease every third of its time. Throws if the lease is lost, or could not be renewed for two thirds of its time. */
async function renewUntil(
  done: AbortSignal,
  lease: Lease,
  storage: Storage,
  { clock, ttlMs }: Pick<LeasedWork, "clock" | "ttlMs">,
): Promise<void> {
  let renewedMs = clock.monotonicMs();
  for (;;) {
    await pause(clock, ttlMs / 3, done);
    if (done.aborted) return;
    const askedMs = clock.monotonicMs();
    try {
      if (!(await renewLease(storage, lease, ttlMs))) throw leaseLost(lease);
      renewedMs = askedMs;
    } catch (thrown) {
      if (askedMs - renewedMs >= (ttlMs * 2) / 3 || isLoss(thrown)) throw thrown;
    }
  }
}

function rethrowUnlessLost(thrown: unknown): void {
  if (!isLoss(thrown)) throw thrown;
}

const isLoss = (thrown: unknown) => thrown instanceof AppError && thrown.code === "lease_lost";

const pause = (clock: Clock, ms: number, signal: AbortSignal) =>
  sleep(clock, ms, signal).catch(() => undefined);
