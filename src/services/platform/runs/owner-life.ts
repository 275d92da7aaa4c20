import { and, eq, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { acquireLease, releaseLease } from "../../../storage/lease.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

/*
 * Which processes are alive, so that the places of a dead one's runs come back soon.
 *
 * SQLite: the lock of the data folder lets one process in. All other owners are dead.
 * PostgreSQL: each process holds a lease of its own, by the database's clock, and renews it. An owner whose lease has expired is
 * dead. One without a lease is of an executable that keeps none: its runs end by their time limit, as before.
 */

/** How long a process counts as alive after it was last heard of. */
export const ownerTtlMs = 30_000;

const prefix = "process:";
const leaseOf = (owner: string) => ({ name: `${prefix}${owner}`, owner });

/** Says that this process is alive; before its first run, and every third of `ownerTtlMs`. */
export async function keepOwnerAlive(storage: Storage, owner: string): Promise<void> {
  await acquireLease(storage, { ...leaseOf(owner), ttlMs: ownerTtlMs });
}

/** Says that this process has ended its runs. */
export async function endOwner(storage: Storage, owner: string): Promise<void> {
  await releaseLease(storage, { ...leaseOf(owner), term: 1 });
}

/** Whether a run in progress belongs to a process that is dead, as far as `owner`, this one, can know. */
export function hasDeadOwner(
  { dialect, read, tables, ...storage }: Storage<PlatformTables>,
  owner: string,
): SQL | undefined {
  const { invocations, leases } = tables;
  if (dialect === "sqlite") return ne(invocations.owner, owner);
  const expired = read
    .select({ name: leases.name })
    .from(leases)
    .where(
      and(eq(leases.name, sql`${prefix} || ${invocations.owner}`), lte(leases.expiresAt, storage.instant())),
    );
  return and(ne(invocations.owner, owner), sql`exists ${expired}`);
}

/** Forgets processes that ended long ago. */
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

/** A run that is over its time limit, or whose process is dead. */
export function isLost(
  storage: Storage<PlatformTables>,
  { owner, now }: { owner: string | undefined; now: Date },
): SQL | undefined {
  const isLate = lte(storage.tables.invocations.heldUntil, now);
  return owner === undefined ? isLate : or(isLate, hasDeadOwner(storage, owner));
}
