import { and, asc, eq, exists, inArray, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Clock } from "../../../kit/clock.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Query } from "../../../storage/storage.ts";
import { dropFiles, oldestFiles } from "../media/store.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import { ownShare, type TenantUse, tenantUse, useColumns } from "./storage-room.ts";

export interface MakeRoomPorts {
  storage: GatewayStorage;
  clock: Clock;
  log: Logger;
  /** Bytes of a tenant whose limit the platform didn't tell. */
  storageBytes: number;
}

/** From this part of its limit on, a tenant's oldest records are dropped, until it is at the lower one. */
const [highShare, lowShare] = [0.95, 0.9];
const rowsPerDrop = 500;
const filesPerDrop = 10;
const dayMs = 24 * 60 * 60_000;
/** Longer than any provider redelivers, and any program repeats its key. */
const repeatedDays = 8;

/** Returns the tenants that store nearly as much as they may, with their figures. */
export async function nearlyFull({
  storage: { read, tables },
  storageBytes,
}: Pick<MakeRoomPorts, "storage" | "storageBytes">): Promise<(TenantUse & { tenantId: string })[]> {
  const { storedBytes, storageLimits } = tables;
  const uses = await read
    .select({ tenantId: storedBytes.ownerId, ...useColumns(storedBytes) })
    .from(storedBytes)
    .groupBy(storedBytes.ownerId);
  const limits = new Map(
    (await read.select().from(storageLimits)).map(({ tenantId, bytes }) => [tenantId, bytes]),
  );
  return uses
    .map((use) => ({
      ...use,
      limit: limits.has(use.tenantId) ? (limits.get(use.tenantId) ?? null) : storageBytes,
    }))
    .filter((use) => excessOf(use, highShare) > 0);
}

/** Bytes of a tenant's own records above a part of what it may keep here: what others leave of its limit, and its share in any case. */
function excessOf({ stored, own, limit }: TenantUse, part: number): number {
  return limit === null ? 0 : Math.min(stored - limit * part, own - limit * ownShare * part);
}

/**
 * Drops the oldest records of tenants that store nearly as much as they may: first those that no repetition can need any more, then
 * files, then the trail and the messages that an operator has read, and the other messages last. What is still to be answered or sent stays.
 */
export async function makeRoom(ports: MakeRoomPorts): Promise<void> {
  for (const { tenantId } of await nearlyFull(ports)) {
    const dropped = await dropOldest(ports, tenantId);
    if (dropped > 0) ports.log.warn("storage.records_dropped", { tenant: tenantId, records: dropped });
  }
}

async function dropOldest(
  { storage, clock, storageBytes }: MakeRoomPorts,
  tenantId: string,
): Promise<number> {
  const { tables } = storage;
  let dropped = 0;
  for (const step of stepsOf(tables, new Date(clock.now().getTime() - repeatedDays * dayMs))) {
    let left = [...step];
    while (left.length > 0) {
      for (const drop of left) {
        const use = await tenantUse(storage.read, tables, tenantId, storageBytes);
        if (excessOf(use, lowShare) <= 0) return dropped;
        const count = await storage.transact((tx) => drop(tx, tenantId), { isolation: "read committed" });
        dropped += count;
        if (count === 0) left = left.filter((one) => one !== drop);
        await othersTurn();
      }
    }
  }
  return dropped;
}

/** Deletes a tenant's oldest records of one kind, and returns how many. */
type Drop = (tx: Query, tenantId: string) => Promise<number>;

/** What is dropped, in order; the kinds of one step take turns. */
function stepsOf(tables: GatewayTables, repeatedSince: Date): Drop[][] {
  const { inbound, outbox, trail, conversations, conversationMessages: messages, webchatMessages } = tables;
  const oldest =
    (table: Dropped, at: Dropped["id"], where?: (tx: Query) => SQL | undefined): Drop =>
    async (tx, tenantId) => {
      const rows = await tx
        .select({ id: table.id })
        .from(table as GatewayTables["inbound"])
        .where(and(eq(table.tenantId, tenantId), where?.(tx)))
        .orderBy(asc(at), asc(table.id))
        .limit(rowsPerDrop);
      const ids = rows.map(({ id }) => id);
      if (ids.length === 0) return 0;
      await tx
        .delete(table as GatewayTables["inbound"])
        .where(and(eq(table.tenantId, tenantId), inArray(table.id, ids)))
        .returning({ id: table.id });
      return ids.length;
    };
  const isRead = (tx: Query) =>
    exists(
      tx
        .select({ id: conversations.id })
        .from(conversations)
        .where(and(eq(conversations.id, messages.conversationId), lte(messages.at, conversations.seenAt))),
    );
  return [
    [
      oldest(inbound as never, inbound.receivedAt as never, () =>
        and(
          lt(inbound.receivedAt, repeatedSince),
          isNull(inbound.lane),
          sql`${inbound.closedAt} is not null`,
        ),
      ),
      oldest(outbox as never, outbox.createdAt as never, () =>
        and(lt(outbox.createdAt, repeatedSince), isNull(outbox.lane)),
      ),
    ],
    // Each may have 25 MiB.
    [
      async (tx, tenantId) =>
        dropFiles(tx, tables, tenantId, await oldestFiles(tx, tables, tenantId, filesPerDrop)),
    ],
    [oldest(trail as never, trail.at as never), oldest(messages as never, messages.at as never, isRead)],
    [
      oldest(messages as never, messages.at as never),
      oldest(webchatMessages as never, webchatMessages.at as never),
    ],
  ];
}

/** What the tables have in common here. */
type Dropped = Pick<GatewayTables["inbound"], "id" | "tenantId">;
