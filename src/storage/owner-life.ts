import { and, eq, gt, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Clock } from "../kit/clock.ts";
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

/** An older renewal is not enough to begin something new: it must be stored before the lease can expire. */
const freshMs = (ownerTtlMs * 2) / 3;

const prefix = "process:";

/** This process as the owner of runs in a database: until when it is alive for the others, and which of them are dead. */
export class OwnerLife {
  readonly owner: string;
  readonly #storage: Storage;
  readonly #clock: Clock;
  #renewing: Promise<void> | undefined;
  #renewedMs = Number.NEGATIVE_INFINITY;
  /** Since when each renewal was in time; undefined after one that failed. */
  #steadySinceMs: number | undefined;

  constructor(storage: Storage, owner: string, clock: Clock) {
    this.owner = owner;
    this.#storage = storage;
    this.#clock = clock;
  }

  /** True while no other process can take this one for dead. */
  isHeld(): boolean {
    return !this.#isShared || this.#clock.monotonicMs() - this.#renewedMs < freshMs;
  }

  /** Call before each run: renews the lease unless that was done lately. Throws the storage's error if it can't. */
  async ensure(): Promise<void> {
    if (!this.isHeld()) await this.renew();
  }

  /** Renews the lease. Called before the first run and at each third of `ownerTtlMs`. */
  renew(): Promise<void> {
    if (!this.#isShared) return Promise.resolve();
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /**
   * Condition for work whose process, in the column `of`, is dead. A database that was away made every process of it look dead. So at the
   * start, and after each renewal that failed or was late, the others have `ownerTtlMs` to say that they live.
   */
  isDead(of: SQLWrapper): SQL {
    if (!this.#isShared) return sql`${of} <> ${this.owner}`;
    if (!this.#isSteady()) return sql`1 = 0`;
    return sql`(${of} <> ${this.owner} and exists ${this.#leaseOf(of, lte)})`;
  }

  /** The same for work that only processes with a lease begin: without one, the process died so long ago that its lease was deleted. */
  isGone(of: SQLWrapper): SQL {
    if (!this.#isShared) return this.isDead(of);
    if (!this.#isSteady()) return sql`1 = 0`;
    return sql`(${of} <> ${this.owner} and not exists ${this.#leaseOf(of, gt)})`;
  }

  /** Releases the lease after this process's runs have ended. */
  async end(): Promise<void> {
    if (this.#isShared) await releaseLease(this.#storage, { ...this.#lease, term: 1 });
  }

  get #isShared(): boolean {
    return this.#storage.dialect === "postgres";
  }

  /** Lease of the process in the column `of` whose end compares so with now. */
  #leaseOf(of: SQLWrapper, compare: typeof gt) {
    const { read, tables, instant } = this.#storage;
    const { leases } = tables;
    return read
      .select({ name: leases.name })
      .from(leases)
      .where(and(eq(leases.name, sql`${prefix} || ${of}`), compare(leases.expiresAt, instant())));
  }

  get #lease() {
    return { name: `${prefix}${this.owner}`, owner: this.owner };
  }

  #isSteady(): boolean {
    return (
      this.isHeld() &&
      this.#steadySinceMs !== undefined &&
      this.#clock.monotonicMs() - this.#steadySinceMs >= ownerTtlMs
    );
  }

  async #renew(): Promise<void> {
    const askedMs = this.#clock.monotonicMs();
    if (askedMs - this.#renewedMs >= freshMs) this.#steadySinceMs = undefined;
    try {
      await acquireLease(this.#storage, { ...this.#lease, ttlMs: ownerTtlMs });
    } catch (thrown) {
      this.#steadySinceMs = undefined;
      throw thrown;
    }
    this.#renewedMs = askedMs;
    this.#steadySinceMs ??= this.#clock.monotonicMs();
  }
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
