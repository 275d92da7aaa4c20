import { and, eq, gt, inArray, lte } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import { lockOrg } from "../access/lock-org.ts";
import type { CloudStorage } from "../tables.ts";

/*
 * Every open stream has a row. A stream is admitted in a transaction that locks its org, so the processes of one database never admit more
 * than the limit together. The owner renews its rows; those of a dead process expire by the database's clock.
 */

/** Open streams of one org at a time. */
export const streamsMax = 5;

/** Time that a stream counts as open after its owner's last renewal. */
export const streamTtlMs = 60_000;

export interface OpenStreamsDeps {
  storage: CloudStorage;
  newId: NewId;
  log: Logger;
}

/** Streams that this process has open, and their places in the database. */
export class OpenStreams {
  readonly #deps: OpenStreamsDeps;
  readonly #owner: string;
  /** Orgs by the ids of this process's streams. */
  readonly #open = new Map<string, string>();

  constructor(deps: OpenStreamsDeps) {
    this.#deps = deps;
    this.#owner = deps.newId();
  }

  /** Takes a place for one stream, or throws 429 `too_many_streams`. The returned function frees it; further calls do nothing. */
  async enter(orgId: string): Promise<() => Promise<void>> {
    const { storage, newId } = this.#deps;
    const { tables, transact, instant } = storage;
    const { openStreams } = tables;
    const id = newId();
    await transact(async (tx) => {
      await lockOrg(tx, tables, orgId);
      const isOpen = and(eq(openStreams.orgId, orgId), gt(openStreams.expiresAt, instant()));
      if ((await tx.$count(openStreams, isOpen)) >= streamsMax) throw tooMany();
      await tx
        .insert(openStreams)
        .values({ id, orgId, owner: this.#owner, expiresAt: instant(streamTtlMs) as never });
    });
    this.#open.set(id, orgId);
    return () => this.#leave(id, orgId);
  }

  /** Extends the places of this process, and deletes those of processes that died. */
  async renew(): Promise<void> {
    const { storage } = this.#deps;
    const { openStreams } = storage.tables;
    const owner = this.#owner;
    const open = new Map(this.#open);
    await storage.transact(async (tx) => {
      const expiresAt = storage.instant(streamTtlMs) as never;
      const rows = await tx
        .update(openStreams)
        .set({ expiresAt })
        .where(eq(openStreams.owner, owner))
        .returning({ id: openStreams.id });
      const renewed = new Set(rows.map(({ id }) => id));
      // Places that could not be freed when their streams closed.
      const left = [...renewed].filter((id) => !open.has(id));
      if (left.length > 0) await tx.delete(openStreams).where(inArray(openStreams.id, left));
      // Places that another process deleted, because this one could not renew them in time.
      const lost = [...open].filter(([id]) => !renewed.has(id));
      if (lost.length > 0)
        await tx.insert(openStreams).values(lost.map(([id, orgId]) => ({ id, orgId, owner, expiresAt })));
      await tx.delete(openStreams).where(lte(openStreams.expiresAt, storage.instant()));
    });
  }

  /** Deletes the places of a former process. Only for a database that one process has to itself. */
  async clear(): Promise<void> {
    const { storage } = this.#deps;
    await storage.transact((tx) => tx.delete(storage.tables.openStreams));
  }

  async #leave(id: string, orgId: string): Promise<void> {
    if (!this.#open.delete(id)) return;
    const { storage, log } = this.#deps;
    const { openStreams } = storage.tables;
    try {
      await storage.transact((tx) =>
        tx.delete(openStreams).where(and(eq(openStreams.orgId, orgId), eq(openStreams.id, id))),
      );
    } catch (err) {
      // The next renewal deletes it.
      log.warn("stream.place_not_freed", { org: orgId, err });
    }
  }
}

const tooMany = () =>
  new AppError(
    "rate_limited",
    "too_many_streams",
    `The org has ${streamsMax} open streams already. Close one first.`,
    { details: { retryAfterSeconds: 1 } },
  );
