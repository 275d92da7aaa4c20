import { and, asc, eq, gte, inArray, lte, or, type SQL, sql } from "drizzle-orm";
import { jsonRows } from "../../storage/json-rows.ts";
import { boundValue, claimable, equalsBound, leaseEnd, statement } from "../../storage/statement.ts";
import type { Query } from "../../storage/storage.ts";
import { type InboundInput, step, suspectFrom } from "./inbound-step.ts";
import type { InboxRow, InboxStorage, InboxTables } from "./schema.ts";

export interface EventClaim {
  owner: string;
  attemptId: string;
  now: Date;
  limit: number;
  leaseMs: number;
  /** Tenants whose owners have as many events in work here as they may have. */
  busy: readonly string[];
  /** Least and most interruptions of the events; absent: those below `suspectFrom`. */
  interrupted?: { least: number; most: number };
}

/**
 * Claims the first due events for one try. An event is due if its time has come and no earlier event of its conversation is open. Events of
 * `busy` tenants wait, so that a busy owner doesn't hold up the others.
 */
export async function claimEvents(storage: InboxStorage, claim: EventClaim): Promise<InboxRow[]> {
  const { owner, attemptId, now, limit, leaseMs, busy } = claim;
  const values = {
    owner,
    attemptId,
    now,
    limit,
    busy: JSON.stringify(busy),
    leaseMs,
    leaseUntil: new Date(now.getTime() + leaseMs),
    ...(claim.interrupted ?? { least: 0, most: suspectFrom - 1 }),
  };
  const rows = await storage.transact((tx) => claimDue(tx, storage.tables).execute(values), {
    isolation: "read committed",
  });
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

const claimDue = statement((tx: Query, tables: InboxTables) => {
  const { inbound } = tables;
  const busy = jsonRows(inbound, "busy");
  const select = tx
    .select({ id: inbound.id })
    .from(inbound)
    .where(
      and(
        sql`${inbound.state} = 'waiting'`,
        lte(inbound.dueAt, boundValue(inbound.dueAt, "now")),
        sql`${inbound.tenantId} not in (select ${busy.self} from ${busy.from})`,
        sql`${inbound.interruptions} between ${sql.placeholder("least")} and ${sql.placeholder("most")}`,
        sql`not ${isBlocked(tables)}`,
      ),
    )
    .orderBy(asc(inbound.dueAt), asc(inbound.id))
    .limit(sql.placeholder("limit"));
  const due = tx.$with("due").as(claimable(inbound, select));
  return tx
    .with(due)
    .update(inbound)
    .set({
      state: "working",
      owner: sql`${sql.placeholder("owner")}`,
      attemptId: sql`${sql.placeholder("attemptId")}`,
      leaseUntil: leaseEnd(inbound.leaseUntil),
    })
    .where(sql`${inbound.id} in (select id from ${due})`)
    .returning()
    .prepare("claim_events");
});

/** Returns since when the oldest event waits that could be worked on now; undefined if there is none. */
export async function oldestDueEvent({ read, tables }: InboxStorage, now: Date): Promise<Date | undefined> {
  const { inbound } = tables;
  const [oldest] = await read
    .select({ dueAt: inbound.dueAt })
    .from(inbound)
    .where(and(eq(inbound.state, "waiting"), lte(inbound.dueAt, now), sql`not ${isBlocked(tables)}`))
    .orderBy(asc(inbound.dueAt), asc(inbound.id))
    .limit(1);
  return oldest?.dueAt;
}

/** True for an event whose conversation has an earlier one, by the provider's time, or one in work. */
function isBlocked({ inbound }: InboxTables): SQL {
  // The alias is of the same table, so its columns are written out.
  const isEarlier = sql`(head.sent_at < ${inbound.sentAt} or (head.sent_at = ${inbound.sentAt} and head.id < ${inbound.id}))`;
  return sql`exists (select 1 from ${inbound} as head where head.lane = ${inbound.lane} and head.id <> ${inbound.id} and (head.state = 'working' or ${isEarlier}))`;
}

/** Returns true if an event waits that was interrupted more than once. */
export async function hasWaitingSuspects({ read, tables: { inbound } }: InboxStorage): Promise<boolean> {
  const [waitingEvent] = await read
    .select({ id: inbound.id })
    .from(inbound)
    .where(and(eq(inbound.state, "waiting"), gte(inbound.interruptions, suspectFrom)))
    .limit(1);
  return waitingEvent !== undefined;
}

/** Extends the leases of what this process works on. Returns the ids of those that it still has. */
export async function renewEvents(
  storage: InboxStorage,
  owner: string,
  ids: readonly string[],
  leaseMs: number,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { inbound } = storage.tables;
  const renewed = await storage.transact(
    (tx) =>
      tx
        .update(inbound)
        .set({ leaseUntil: storage.instant(leaseMs) })
        .where(and(inArray(inbound.id, [...ids]), eq(inbound.owner, owner), eq(inbound.state, "working")))
        .returning({ id: inbound.id }),
    { isolation: "read committed" },
  );
  return renewed.map(({ id }) => id);
}

/** Events that their process left unfinished. On SQLite there is one process only, so those of all others are. */
export async function abandonedEvents(
  storage: InboxStorage,
  owner: string,
  limit: number,
): Promise<InboxRow[]> {
  const { inbound } = storage.tables;
  const isOver = lte(inbound.leaseUntil, storage.instant());
  const isForeign = sql`${inbound.owner} <> ${owner}`;
  return storage.read
    .select()
    .from(inbound)
    .where(and(eq(inbound.state, "working"), storage.dialect === "sqlite" ? or(isOver, isForeign) : isOver))
    .orderBy(asc(inbound.id))
    .limit(limit);
}

/** Moves an event on without an outcome, unless its try is no longer this one. Returns its new state, or undefined. */
export async function moveEvent(
  storage: InboxStorage,
  row: InboxRow,
  input: InboundInput,
  now: Date,
  change: Partial<Pick<InboxRow, "plan" | "lane" | "outcome" | "invocationId">> = {},
): Promise<InboxRow["state"] | undefined> {
  const { inbound } = storage.tables;
  const next = step(row, input, now);
  const isClosed = next.state === "done" || next.state === "parked";
  const { state, tries, interruptions, dueAt } = next;
  const moved = await storage.transact(
    (tx) =>
      tx
        .update(inbound)
        .set({
          ...change,
          ...{ state, tries, interruptions, dueAt },
          owner: null,
          attemptId: null,
          leaseUntil: null,
          ...(isClosed && { lane: null, plan: null, closedAt: now }),
        })
        .where(isTry(storage.tables, row))
        .returning({ id: inbound.id }),
    { isolation: "read committed" },
  );
  return moved.length > 0 ? state : undefined;
}

/** Values of the placeholders of `isBoundTry`. */
export const tryOf = ({ tenantId, id, attemptId }: InboxRow) => ({ tenantId, id, attemptId });

/** True for the row of `tryOf` as long as it is in this try. */
export const isBoundTry = ({ inbound }: InboxTables): SQL | undefined =>
  and(
    equalsBound(inbound.tenantId, "tenantId"),
    equalsBound(inbound.id, "id"),
    sql`${inbound.state} = 'working'`,
    equalsBound(inbound.attemptId, "attemptId"),
  );

/** True for the row as long as it is in this try. */
export const isTry = ({ inbound }: InboxTables, { tenantId, id, attemptId }: InboxRow): SQL | undefined =>
  and(
    eq(inbound.tenantId, tenantId),
    eq(inbound.id, id),
    eq(inbound.state, "working"),
    sql`${inbound.attemptId} = ${attemptId}`,
  );
