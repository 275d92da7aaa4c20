import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import type { OwnerLife } from "../../../storage/owner-life.ts";
import { boundRow, boundValue, equalsBound, statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery, Storage } from "../../../storage/storage.ts";
import { removeSteps } from "./fence.ts";
import type { CallerRunRow, DurableRunTables } from "./schema.ts";

export type CallerRunStorage = Storage<DurableRunTables>;

type Key = Pick<CallerRunRow, "tenant" | "id">;

/** Each row stands for itself. */
const alone = { isolation: "read committed" } as const;

/** Stores a run unless another one has its key. Returns true if it was stored. */
export async function insertCallerRun(
  tx: Query,
  tables: DurableRunTables,
  row: CallerRunRow,
): Promise<boolean> {
  return (await insertion(tx, tables).execute({ ...row })).length > 0;
}

const insertion = statement((tx: Query, { callerRuns }: DurableRunTables) =>
  tx
    .insert(callerRuns)
    .values(boundRow(callerRuns))
    .onConflictDoNothing()
    .returning({ id: callerRuns.id })
    .prepare("daemon_insert_caller_run"),
);

export const storeCallerRun = ({ tables, transact }: CallerRunStorage, row: CallerRunRow): Promise<boolean> =>
  transact((tx) => insertCallerRun(tx, tables, row), alone);

/** Returns the run that has a key; undefined if the key is free. */
export async function runOfKey(
  { tables, read }: CallerRunStorage,
  tenant: string,
  key: string,
): Promise<CallerRunRow | undefined> {
  const [row] = await byKey(read, tables).execute({ tenant, key });
  return row;
}

const byKey = statement((query: ReadQuery, { callerRuns }: DurableRunTables) =>
  query
    .select()
    .from(callerRuns)
    .where(and(equalsBound(callerRuns.tenant, "tenant"), equalsBound(callerRuns.key, "key")))
    .prepare("daemon_caller_run_of_key"),
);

const ownRun = ({ callerRuns }: DurableRunTables, { tenant, id }: Key, owner: string) =>
  and(
    eq(callerRuns.tenant, tenant),
    eq(callerRuns.id, id),
    eq(callerRuns.status, "in_progress"),
    eq(callerRuns.owner, owner),
  );

/**
 * Ends a run that this process performs and deletes its steps, in one commit. Without an answer, the run's row goes too. Returns false if
 * another process performs it.
 */
export function endCallerRun(
  { tables, transact }: CallerRunStorage,
  key: Key,
  owner: string,
  answer: string | undefined,
): Promise<boolean> {
  const { tenant, id } = key;
  return transact(async (tx) => {
    const ended =
      answer === undefined
        ? await dropping(tx, tables).execute({ tenant, id, owner })
        : await ending(tx, tables).execute({ tenant, id, owner, answer });
    if (ended.length === 0) return false;
    await removeSteps(tx, tables, key.tenant, [key.id]);
    return true;
  }, alone);
}

const boundOwnRun = (callerRuns: DurableRunTables["callerRuns"]) =>
  and(
    equalsBound(callerRuns.tenant, "tenant"),
    equalsBound(callerRuns.id, "id"),
    sql`${callerRuns.status} = 'in_progress'`,
    equalsBound(callerRuns.owner, "owner"),
  );

const dropping = statement((tx: Query, { callerRuns }: DurableRunTables) =>
  tx
    .delete(callerRuns)
    .where(boundOwnRun(callerRuns))
    .returning({ id: callerRuns.id })
    .prepare("daemon_drop_caller_run"),
);

const ending = statement((tx: Query, { callerRuns }: DurableRunTables) =>
  tx
    .update(callerRuns)
    .set({ status: "ended", answer: sql`${boundValue(callerRuns.answer, "answer")}`, owner: null })
    .where(boundOwnRun(callerRuns))
    .returning({ id: callerRuns.id })
    .prepare("daemon_end_caller_run"),
);

/** Leaves a run that this process performs to the next one. */
export async function leaveCallerRun(
  { tables, transact }: CallerRunStorage,
  key: Key,
  owner: string,
): Promise<void> {
  await transact(
    (tx) =>
      tx
        .update(tables.callerRuns)
        .set({ owner: null })
        .where(ownRun(tables, key, owner)),
    alone,
  );
}

/** Runs in progress of these agents whose process is dead or gave them up, the oldest first. `isSuspect`: it was interrupted before. */
export async function leftCallerRuns(
  { tables, read }: CallerRunStorage,
  life: OwnerLife,
  { agents, since, limit }: { agents: readonly string[]; since: Date; limit: number },
): Promise<(CallerRunRow & { isSuspect: boolean })[]> {
  const { callerRuns, begunWork } = tables;
  const isBegun = or(gt(begunWork.interruptions, 0), isNotNull(begunWork.owner));
  const rows = await read
    .select({ row: callerRuns, begun: begunWork.key })
    .from(callerRuns)
    .leftJoin(begunWork, and(eq(begunWork.kind, "run"), eq(begunWork.key, callerRuns.id), isBegun))
    .where(
      and(
        eq(callerRuns.status, "in_progress"),
        inArray(callerRuns.agent, [...agents]),
        gt(callerRuns.createdAt, since),
        isLeft(callerRuns.owner, life),
      ),
    )
    .orderBy(asc(callerRuns.createdAt))
    .limit(limit);
  return rows.map(({ row, begun }) => ({ ...row, isSuspect: begun !== null }));
}

/** Runs in progress that began before `since` and that no living process performs. */
export function lostCallerRuns(
  { tables: { callerRuns }, read }: CallerRunStorage,
  life: OwnerLife,
  since: Date,
): Promise<CallerRunRow[]> {
  return read
    .select()
    .from(callerRuns)
    .where(
      and(
        eq(callerRuns.status, "in_progress"),
        lt(callerRuns.createdAt, since),
        isLeft(callerRuns.owner, life),
      ),
    )
    .limit(100);
}

const isLeft = (owner: DurableRunTables["callerRuns"]["owner"], life: OwnerLife) =>
  or(isNull(owner), life.isDead(owner)) as SQL;

/** Makes this process the run's own. Returns false if another one was first. */
export async function claimCallerRun(
  { tables: { callerRuns }, transact }: CallerRunStorage,
  { tenant, id, owner: before }: Pick<CallerRunRow, "tenant" | "id" | "owner">,
  owner: string,
): Promise<boolean> {
  const rows = await transact(
    (tx) =>
      tx
        .update(callerRuns)
        .set({ owner })
        .where(
          and(
            eq(callerRuns.tenant, tenant),
            eq(callerRuns.id, id),
            eq(callerRuns.status, "in_progress"),
            before === null ? isNull(callerRuns.owner) : eq(callerRuns.owner, before),
          ),
        )
        .returning({ id: callerRuns.id }),
    alone,
  );
  return rows.length > 0;
}

/** Deletes the answers of runs that began before `olderThan`. */
export async function pruneCallerRuns(storage: CallerRunStorage, olderThan: Date): Promise<void> {
  const { callerRuns } = storage.tables;
  await deleteInPieces(storage, callerRuns, lt(callerRuns.createdAt, olderThan));
}

/** Deletes what callers asked an agent and were answered, in one session or in all. */
export async function forgetCallerRuns(
  { tables: { callerRuns }, transact }: CallerRunStorage,
  { tenant, agent, sessionId }: { tenant: string; agent: string; sessionId?: string },
): Promise<void> {
  await transact((tx) =>
    tx
      .delete(callerRuns)
      .where(
        and(
          eq(callerRuns.tenant, tenant),
          eq(callerRuns.agent, agent),
          sessionId === undefined ? undefined : eq(callerRuns.sessionId, sessionId),
        ),
      ),
  );
}
