import { and, asc, desc, eq, inArray, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { FireStatus } from "../../../contracts/daemon/triggers.ts";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import type { Query } from "../../../storage/storage.ts";
import type { FireRow, TriggerRow, TriggerStorage, TriggerTables } from "./schema.ts";

/** A trigger of an agent of a tenant. */
export interface TriggerKey {
  tenant: string;
  agent: string;
  name: string;
}

/** A fire that is to be stored. */
export type NewFire = Pick<
  FireRow,
  "tenant" | "id" | "agent" | "trigger" | "type" | "key" | "byPerson" | "dueAt" | "payload" | "createdAt"
>;

/** Fires of one trigger that wait for a place. More are refused. */
export const queuedMax = 200;

const ofKey = ({ triggers }: TriggerTables, { tenant, agent, name }: TriggerKey) =>
  and(eq(triggers.tenant, tenant), eq(triggers.agent, agent), eq(triggers.name, name));

const ofTrigger = ({ triggerFires: fires }: TriggerTables, { tenant, agent, name }: TriggerKey) =>
  and(eq(fires.tenant, tenant), eq(fires.agent, agent), eq(fires.trigger, name));

const ofFire = ({ triggerFires: fires }: TriggerTables, tenant: string, id: string) =>
  and(eq(fires.tenant, tenant), eq(fires.id, id));

/** Notes that these triggers are loaded; those that are new begin unpaused. */
export async function noteTriggers(
  { tables: { triggers }, transact }: TriggerStorage,
  rows: readonly TriggerRow[],
): Promise<void> {
  if (rows.length === 0) return;
  // A schedule that was changed begins anew: what the old one missed is not made up by the new one.
  const isSame = sql`${triggers.schedule} = excluded.schedule`;
  await transact((tx) =>
    tx
      .insert(triggers)
      .values([...rows])
      .onConflictDoUpdate({
        target: [triggers.tenant, triggers.agent, triggers.name],
        set: {
          source: sql`excluded.source`,
          events: sql`excluded.events`,
          schedule: sql`excluded.schedule`,
          cursorAt: sql`case when ${isSame} then ${triggers.cursorAt} else excluded.cursor_at end`,
          seenAt: sql`excluded.seen_at`,
        },
      }),
  );
}

export function listTriggers(
  { tables: { triggers }, read }: TriggerStorage,
  tenant: string,
): Promise<TriggerRow[]> {
  return read.select().from(triggers).where(eq(triggers.tenant, tenant));
}

export async function findTrigger(
  { tables, read }: TriggerStorage,
  key: TriggerKey,
): Promise<TriggerRow | undefined> {
  const [row] = await read.select().from(tables.triggers).where(ofKey(tables, key));
  return row;
}

/** Returns false if there is no such trigger. */
export async function pauseTrigger(
  { tables, transact }: TriggerStorage,
  key: TriggerKey,
  isPaused: boolean,
): Promise<boolean> {
  const rows = await transact((tx) =>
    tx
      .update(tables.triggers)
      .set({ isPaused })
      .where(ofKey(tables, key))
      .returning({ name: tables.triggers.name }),
  );
  return rows.length > 0;
}

/**
 * Moves the cursor of a schedule on, and stores the fires up to there. Does nothing if another process has moved it: then that one has
 * stored them.
 */
export async function advanceSchedule(
  { tables, transact }: TriggerStorage,
  key: TriggerKey,
  { from, to, schedule, fires }: { from: Date; to: Date; schedule: string; fires: readonly NewFire[] },
): Promise<boolean> {
  const { triggers } = tables;
  return transact(async (tx) => {
    const moved = await tx
      .update(triggers)
      .set({ cursorAt: to })
      .where(and(ofKey(tables, key), eq(triggers.cursorAt, from), eq(triggers.schedule, schedule)))
      .returning({ isPaused: triggers.isPaused });
    if (moved.length === 0) return false;
    if (moved[0]?.isPaused === false) await insertFires(tx, tables, fires);
    return true;
  });
}

/** Stores fires that are new, while their triggers' queues have room. Returns those that are stored. */
export async function insertFires(
  tx: Query,
  tables: TriggerTables,
  fires: readonly NewFire[],
): Promise<FireRow[]> {
  const stored: FireRow[] = [];
  for (const fire of fires) {
    const key = { tenant: fire.tenant, agent: fire.agent, name: fire.trigger };
    const isQueued = and(ofTrigger(tables, key), eq(tables.triggerFires.status, "queued"));
    if ((await tx.$count(tables.triggerFires, isQueued)) >= queuedMax) continue;
    stored.push(
      ...(await tx
        .insert(tables.triggerFires)
        .values({ ...fire, status: "queued" })
        .onConflictDoNothing()
        .returning()),
    );
  }
  return stored;
}

export async function findFireByKey(
  { tables, read }: TriggerStorage,
  trigger: TriggerKey,
  key: string,
): Promise<FireRow | undefined> {
  const [row] = await read
    .select()
    .from(tables.triggerFires)
    .where(and(ofTrigger(tables, trigger), eq(tables.triggerFires.key, key)));
  return row;
}

/** Newest first; one more than `limit`. */
export function listFires(
  { tables, read }: TriggerStorage,
  trigger: TriggerKey,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<FireRow[]> {
  const { triggerFires: fires } = tables;
  return read
    .select()
    .from(fires)
    .where(and(ofTrigger(tables, trigger), before === undefined ? undefined : lt(fires.id, before)))
    .orderBy(desc(fires.id))
    .limit(limit + 1);
}

/** The newest fire of each trigger of a tenant. */
export async function lastFires({ tables, read }: TriggerStorage, tenant: string): Promise<FireRow[]> {
  const { triggerFires: fires } = tables;
  const newest = read
    .select({ id: sql<string>`max(${fires.id})`.as("newest") })
    .from(fires)
    .where(eq(fires.tenant, tenant))
    .groupBy(fires.agent, fires.trigger);
  return read
    .select()
    .from(fires)
    .where(and(eq(fires.tenant, tenant), inArray(fires.id, newest)));
}

/** Queued fires of a tenant's agents, the oldest first. */
export function queuedFires(
  { tables: { triggerFires: fires }, read }: TriggerStorage,
  tenant: string,
  agents: readonly string[],
  limit: number,
): Promise<FireRow[]> {
  return read
    .select()
    .from(fires)
    .where(and(eq(fires.status, "queued"), eq(fires.tenant, tenant), inArray(fires.agent, [...agents])))
    .orderBy(asc(fires.id))
    .limit(limit);
}

/** Claims a queued fire for this process. Returns false if another has it: then this one must not run it. */
export async function claimFire(
  { tables, transact }: TriggerStorage,
  { tenant, id }: Pick<FireRow, "tenant" | "id">,
  claim: { owner: string; startedAt: Date; heldUntil: Date },
): Promise<boolean> {
  const rows = await transact(
    (tx) =>
      tx
        .update(tables.triggerFires)
        .set({ ...claim, status: "running" })
        .where(and(ofFire(tables, tenant, id), eq(tables.triggerFires.status, "queued")))
        .returning({ id: tables.triggerFires.id }),
    { isolation: "read committed" },
  );
  return rows.length > 0;
}

export type FireEnd = Pick<FireRow, "status" | "endedAt"> &
  Partial<Pick<FireRow, "traceId" | "sessionId" | "awaits" | "errorCode" | "errorMessage">>;

/** Writes how a fire of this process ended, unless another process has taken this one for dead. */
export async function endFire(
  { tables, transact }: TriggerStorage,
  { tenant, id }: Pick<FireRow, "tenant" | "id">,
  owner: string,
  end: FireEnd,
): Promise<void> {
  await transact((tx) =>
    tx
      .update(tables.triggerFires)
      .set({ ...end, payload: null, owner: null, heldUntil: null })
      .where(and(ofFire(tables, tenant, id), eq(tables.triggerFires.owner, owner))),
  );
}

/** Renews the lease of a process on what it runs. */
export async function holdFires(
  { tables: { triggerFires: fires }, transact }: TriggerStorage,
  owner: string,
  ids: readonly string[],
  heldUntil: Date,
): Promise<void> {
  const isMeant = and(eq(fires.owner, owner), inArray(fires.id, [...ids]));
  await transact((tx) => tx.update(fires).set({ heldUntil }).where(isMeant));
}

/**
 * What dead processes ran: the fires whose lease ended before `heldBefore`, or all. Fails where nothing can be written, so that the round is
 * repeated soon.
 */
export function leftFires(
  { tables: { triggerFires: fires }, transact }: TriggerStorage,
  heldBefore: Date | undefined,
): Promise<FireRow[]> {
  const isDead = heldBefore === undefined ? undefined : lt(fires.heldUntil, heldBefore);
  const isLeft = and(eq(fires.status, "running"), isDead);
  return transact((tx) => tx.select().from(fires).where(isLeft).limit(100));
}

const stillRuns = (
  { triggerFires: fires }: TriggerTables,
  { tenant, id, owner }: Pick<FireRow, "tenant" | "id" | "owner">,
) =>
  and(
    eq(fires.tenant, tenant),
    eq(fires.id, id),
    eq(fires.status, "running"),
    owner === null ? isNull(fires.owner) : eq(fires.owner, owner),
  );

/** Lets another process take up what a dead one ran. Returns false if one has. */
export async function queueAgain({ tables, transact }: TriggerStorage, fire: FireRow): Promise<boolean> {
  const { triggerFires: fires } = tables;
  const rows = await transact((tx) =>
    tx
      .update(fires)
      .set({ status: "queued", owner: null, heldUntil: null })
      .where(stillRuns(tables, fire))
      .returning({ id: fires.id }),
  );
  return rows.length > 0;
}

/** Ends what a dead process ran. Returns false if another one has taken it up. */
export async function interruptFire(storage: TriggerStorage, fire: FireRow, now: Date): Promise<boolean> {
  const ended = await endAll(storage, stillRuns(storage.tables, fire), {
    status: "interrupted",
    now,
    code: "interrupted",
    message: "The process that ran it ended.",
  });
  return ended.length > 0;
}

/** Ends fires that wait since before `createdBefore` for a trigger that nobody has. */
export function expireFires(storage: TriggerStorage, ids: readonly string[], now: Date): Promise<string[]> {
  const { triggerFires: fires } = storage.tables;
  if (ids.length === 0) return Promise.resolve([]);
  return endAll(storage, and(eq(fires.status, "queued"), inArray(fires.id, [...ids])), {
    status: "expired",
    now,
    code: "trigger_not_found",
    message: "No server had this trigger for an hour.",
  });
}

/** Queued fires of all agents that were stored before an instant. */
export function oldQueuedFires(
  { tables: { triggerFires: fires }, read }: TriggerStorage,
  createdBefore: Date,
): Promise<FireRow[]> {
  return read
    .select()
    .from(fires)
    .where(and(eq(fires.status, "queued"), lt(fires.createdAt, createdBefore)))
    .orderBy(asc(fires.id))
    .limit(500);
}

async function endAll(
  { tables: { triggerFires: fires }, transact }: TriggerStorage,
  which: SQL | undefined,
  { status, now, code, message }: { status: FireStatus; now: Date; code: string; message: string },
): Promise<string[]> {
  const rows = await transact((tx) =>
    tx
      .update(fires)
      .set({
        status,
        endedAt: now,
        payload: null,
        owner: null,
        heldUntil: null,
        errorCode: code,
        errorMessage: message,
      })
      .where(which)
      .returning({ id: fires.id }),
  );
  return rows.map(({ id }) => id);
}

/** Deletes fires that were stored, and triggers that were last loaded, before an instant. */
export async function pruneTriggers(storage: TriggerStorage, olderThan: Date): Promise<void> {
  const { triggers, triggerFires: fires } = storage.tables;
  await deleteInPieces(storage, fires, lt(fires.createdAt, olderThan));
  await deleteInPieces(storage, triggers, lte(triggers.seenAt, olderThan));
}

/** Deletes what is stored of an agent's triggers. */
export async function forgetTriggers(
  { tables: { triggers, triggerFires: fires }, transact }: TriggerStorage,
  { tenant, agent }: { tenant: string; agent: string },
): Promise<void> {
  await transact(async (tx) => {
    await tx.delete(fires).where(and(eq(fires.tenant, tenant), eq(fires.agent, agent)));
    await tx.delete(triggers).where(and(eq(triggers.tenant, tenant), eq(triggers.agent, agent)));
  });
}
