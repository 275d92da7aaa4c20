import { and, eq, gt, sql } from "drizzle-orm";
import { AppError } from "../kit/app-error.ts";
import { type Clock, sleep } from "../kit/clock.ts";
import type { Query, Storage, TransactOptions } from "./storage.ts";

/** The right to a duty that at most one process has at a time. */
export interface Lease {
  name: string;
  /** Unique to one run of a process. */
  owner: string;
  /** Grows with each new owner, so that a late write of an earlier owner can be recognized. */
  term: number;
}

/** One statement, which locks the row that it relies on, and must not wait behind others: the lease would end meanwhile. */
const renewing: TransactOptions = { isolation: "read committed", urgent: true };

/** Takes the lease if it is free, expired or already the owner's; returns undefined while another owner holds it. One statement. */
export async function acquireLease(
  storage: Storage,
  { name, owner, ttlMs }: { name: string; owner: string; ttlMs: number },
): Promise<Lease | undefined> {
  const { leases } = storage.tables;
  const expiresAt = storage.instant(ttlMs);
  const isNewOwner = sql`case when ${leases.owner} = ${owner} then 0 else 1 end`;
  const [row] = await storage.transact(
    (tx) =>
      tx
        .insert(leases)
        .values({ name, owner, term: 1, expiresAt })
        .onConflictDoUpdate({
          target: leases.name,
          set: { owner, term: sql`${leases.term} + ${isNewOwner}`, expiresAt },
          setWhere: sql`${leases.owner} = ${owner} or ${leases.expiresAt} <= ${storage.instant()}`,
        })
        .returning({ term: leases.term }),
    renewing,
  );
  return row && { name, owner, term: row.term };
}

/** Extends the lease to `ttlMs` from now. Returns false if it expired or another owner has taken it. */
export async function renewLease(storage: Storage, lease: Lease, ttlMs: number): Promise<boolean> {
  const { leases } = storage.tables;
  const renewed = await storage.transact(
    (tx) =>
      tx
        .update(leases)
        .set({ expiresAt: storage.instant(ttlMs) })
        .where(and(isHeld(storage, lease), gt(leases.expiresAt, storage.instant())))
        .returning({ term: leases.term }),
    renewing,
  );
  return renewed.length > 0;
}

/** Frees the lease at once; does nothing if it is no longer held. */
export async function releaseLease(storage: Storage, lease: Lease): Promise<void> {
  const { leases } = storage.tables;
  const now = storage.instant();
  await storage.transact((tx) => tx.update(leases).set({ expiresAt: now }).where(isHeld(storage, lease)));
}

/**
 * Throws `lease_lost` unless the lease is still this owner's, and keeps it so until `tx` commits. It must be the first statement of every
 * duty's transaction, so that a process that was paused cannot act for an expired term.
 */
export async function requireLease(tx: Query, storage: Storage, lease: Lease): Promise<void> {
  const { leases } = storage.tables;
  const held = await tx
    .update(leases)
    .set({ owner: lease.owner })
    .where(and(isHeld(storage, lease), gt(leases.expiresAt, storage.instant())))
    .returning({ term: leases.term });
  if (held.length === 0) throw leaseLost(lease);
}

const isHeld = ({ tables: { leases } }: Storage, { name, owner, term }: Lease) =>
  and(eq(leases.name, name), eq(leases.owner, owner), eq(leases.term, term));

/** The error of a duty whose term is over. */
const leaseLost = ({ name }: Lease) =>
  new AppError("conflict", "lease_lost", `The lease ${name} is no longer held.`);

export interface LeasedWork {
  name: string;
  owner: string;
  ttlMs: number;
  clock: Clock;
  /** Works until its signal aborts, because `signal` did or because the lease is lost. */
  work: (lease: Lease, signal: AbortSignal) => Promise<void>;
  /** Called when the lease was looked at and another owner has it. */
  beat?: (() => void) | undefined;
}

/** Waits for the lease, works while it holds the lease, and waits again when it is lost. Returns after `signal` aborts. For workers. */
export async function whileLeased(storage: Storage, leased: LeasedWork, signal: AbortSignal): Promise<void> {
  const { clock, ttlMs } = leased;
  while (!signal.aborted) {
    const lease = await acquireLease(storage, leased);
    if (lease) {
      const work = (held: AbortSignal) => leased.work(lease, held);
      await keepLease(lease, storage, leased, work, signal).catch(throwUnlessLost);
    } else leased.beat?.();
    await pause(clock, ttlMs / 3, signal);
  }
}

/**
 * Works once under the lease, and frees it. Returns undefined at once if another owner holds it. The signal of the work aborts with
 * `lease_lost` when the lease can't be kept, and when `signal` does.
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

/** Works while the lease is renewed, then frees it. Throws `lease_lost` if the lease can't be kept. */
async function keepLease<Result>(
  lease: Lease,
  storage: Storage,
  leased: Pick<LeasedWork, "clock" | "ttlMs">,
  work: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const loss = new AbortController();
  const done = new AbortController();
  const renewing = renewUntil(done.signal, lease, storage, leased).catch(() => loss.abort(leaseLost(lease)));
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

function throwUnlessLost(thrown: unknown): void {
  if (!isLoss(thrown)) throw thrown;
}

const isLoss = (thrown: unknown) => thrown instanceof AppError && thrown.code === "lease_lost";

const pause = (clock: Clock, ms: number, signal: AbortSignal) =>
  sleep(clock, ms, signal).catch(() => undefined);
