import { and, eq, gt, sql } from "drizzle-orm";
import { AppError } from "../kit/app-error.ts";
import type { Query, Storage } from "./storage.ts";

/** The right to a duty that at most one process has at a time. */
export interface Lease {
  name: string;
  /** Unique to one run of a process. */
  owner: string;
  /** Grows with each new owner, so that a late write of an earlier owner can be recognized. */
  term: number;
}

/** Takes the lease if it is free, expired or already the owner's; returns undefined while another owner holds it. One statement. */
export async function acquireLease(
  storage: Storage,
  { name, owner, ttlMs }: { name: string; owner: string; ttlMs: number },
): Promise<Lease | undefined> {
  const { leases } = storage.tables;
  const expiresAt = storage.instant(ttlMs);
  const isNewOwner = sql`case when ${leases.owner} = ${owner} then 0 else 1 end`;
  const [row] = await storage.transact((tx) =>
    tx
      .insert(leases)
      .values({ name, owner, term: 1, expiresAt })
      .onConflictDoUpdate({
        target: leases.name,
        set: { owner, term: sql`${leases.term} + ${isNewOwner}`, expiresAt },
        setWhere: sql`${leases.owner} = ${owner} or ${leases.expiresAt} <= ${storage.instant()}`,
      })
      .returning({ term: leases.term }),
  );
  return row && { name, owner, term: row.term };
}

/** Extends the lease to `ttlMs` from now. Returns false if it expired or another owner has taken it. */
export async function renewLease(storage: Storage, lease: Lease, ttlMs: number): Promise<boolean> {
  const { leases } = storage.tables;
  const renewed = await storage.transact((tx) =>
    tx
      .update(leases)
      .set({ expiresAt: storage.instant(ttlMs) })
      .where(and(isHeld(storage, lease), gt(leases.expiresAt, storage.instant())))
      .returning({ term: leases.term }),
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
export const leaseLost = ({ name }: Lease) =>
  new AppError("conflict", "lease_lost", `The lease ${name} is no longer held.`);
