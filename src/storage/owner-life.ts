import { and, eq, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { acquireLease, releaseLease } from "./lease.ts";
import type { Storage } from "./storage.ts";

/*
 * Detects dead processes, so the places of their runs are freed soon.
 *
 * SQLite: the lock on the data folder admits one process, so all other owners are dead.
 * PostgreSQL: each process holds and renews its own lease, by the database's clock. An owner whose lease has expired is dead. An owner
 * without a lease is an older executable that keeps none; its runs end at their time limit.
 */

/** Time that a process counts as alive after its last renewal. */
export const ownerTtlMs = 9_000;

const prefix = "process:";
const leaseOf = (owner: string) => ({ name: `${prefix}${owner}`, owner });

/** Renews this process's lease; called before its first run and at each third of `ownerTtlMs`. */
export async function keepOwnerAlive(storage: Storage, owner: string): Promise<void> {
  await acquireLease(storage, { ...leaseOf(owner), ttlMs: ownerTtlMs });
}

/** Releases this process's lease after its runs have ended. */
export async function endOwner(storage: Storage, owner: string): Promise<void> {
  await releaseLease(storage, { ...leaseOf(owner), term: 1 });
}

/** Condition for work whose process, in the column `of`, is dead, as far as this process, `owner`, can know. */
export function hasDeadOwner(
  { dialect, read, tables, ...storage }: Storage,
  owner: string,
  of: SQLWrapper,
): SQL | undefined {
  const { leases } = tables;
  if (dialect === "sqlite") return sql`${of} <> ${owner}`;
  const expired = read
    .select({ name: leases.name })
    .from(leases)
    .where(and(eq(leases.name, sql`${prefix} || ${of}`), lte(leases.expiresAt, storage.instant())));
  return sql`(${of} <> ${owner} and exists ${expired})`;
}

/** Deletes the leases of processes that ended long ago. */
export async function dropDeadOwners(storage: Storage, longAgoMs: number): Promise<void> {
  const { leases } = storage.tables;
  await storage.transact((tx) =>
    tx
      .delete(leases)
      .where(
        and(sql`${leases.name} like ${`${prefix}%`}`, lte(leases.expiresAt, storage.instant(-longAgoMs))),
      ),
  );
}
