import { and, asc, eq, gt, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Storage } from "./storage.ts";

/*
 * Work on stored rows that another process takes up again if the first one dies. What kills a process would kill each one after it, so
 * each interruption is counted, and the third parks the work until a person retries it.
 *
 * Whoever claims a row begins its work here and ends it here. A row that another process has begun and not ended was interrupted: only
 * its owner's death lets the claim pass on.
 */

/** The work is parked after this number of interruptions. */
export const interruptionsMax = 3;

/** Code of work that ended because it was interrupted too often. */
export const interruptedRepeatedly = "interrupted_repeatedly";

/** Kinds of work that are taken up again. */
export const workKinds = [
  "run",
  "eval_run",
  "reconcile",
  "memory_writes",
  "memory_cleanup",
  "conversation_cleanup",
  "document_cleanup",
  "period_closing",
  "retired_agent",
  "retired_documents",
  "deployed_agent",
  "forgotten_contact",
] as const;
export type WorkKind = (typeof workKinds)[number];

export interface WorkKey {
  kind: WorkKind;
  key: string;
}

/** Parked work, as an operator sees it. */
export interface ParkedWork extends WorkKey {
  parkedAt: Date;
}

/** What is known of work that begins. `suspect`: it was interrupted before. `parked`: it was interrupted too often and must not be done. */
export type Begun = "begun" | "suspect" | "parked";

/** Begins work that this process, `owner`, has claimed. */
export async function beginWork(storage: Storage, { kind, key }: WorkKey, owner: string): Promise<Begun> {
  return (await beginAll(storage, kind, [key], owner)).get(key) ?? "begun";
}

/** Begins several pieces of work together. */
export async function beginAll(
  storage: Storage,
  kind: WorkKind,
  keys: readonly string[],
  owner: string,
): Promise<ReadonlyMap<string, Begun>> {
  const { begunWork } = storage.tables;
  const isInterrupted = sql`case when ${begunWork.owner} is null or ${begunWork.owner} = ${owner} then 0 else 1 end`;
  const count = sql`${begunWork.interruptions} + ${isInterrupted}`;
  const now = storage.instant();
  const rows = await storage.transact((tx) =>
    tx
      .insert(begunWork)
      .values(keys.map((key) => ({ kind, key, owner, interruptions: 0, parkedAt: null })))
      .onConflictDoUpdate({
        target: [begunWork.kind, begunWork.key],
        set: {
          owner,
          interruptions: count,
          parkedAt: sql`case when ${count} >= ${interruptionsMax} then coalesce(${begunWork.parkedAt}, ${now}) else ${begunWork.parkedAt} end`,
        },
      })
      .returning({ key: begunWork.key, interruptions: begunWork.interruptions }),
  );
  return new Map(rows.map(({ key, interruptions }) => [key, begunAfter(interruptions)]));
}

function begunAfter(interruptions: number): Begun {
  if (interruptions >= interruptionsMax) return "parked";
  return interruptions > 0 ? "suspect" : "begun";
}

/** Ends work, whatever came of it. `stopped`: it is left to another process or another time, which is not an interruption. */
export async function endWork(
  { transact, tables: { begunWork } }: Storage,
  kind: WorkKind,
  keys: readonly string[],
  { stopped }: { stopped: boolean },
): Promise<void> {
  if (keys.length === 0) return;
  const isMeant = and(eq(begunWork.kind, kind), inArray(begunWork.key, [...keys]));
  await transact(async (tx) => {
    if (stopped) {
      const isInterrupted = and(isMeant, gt(begunWork.interruptions, 0));
      await tx.update(begunWork).set({ owner: null }).where(isInterrupted);
    }
    const isInnocent = stopped ? eq(begunWork.interruptions, 0) : isNull(begunWork.parkedAt);
    await tx.delete(begunWork).where(and(isMeant, isInnocent));
  });
}

/**
 * Lets work be done again, because a person retries it. A key that ends with `*` stands for all that begin so. Returns the number of
 * pieces that were parked.
 */
export async function retryWork(
  { read, transact, tables: { begunWork } }: Storage,
  { kind, key }: WorkKey,
): Promise<number> {
  const beginning = key.endsWith("*") ? key.slice(0, -1) : undefined;
  const isNamed =
    beginning === undefined
      ? eq(begunWork.key, key)
      : sql`substr(${begunWork.key}, 1, ${sql.raw(String([...beginning].length))}) = ${beginning}`;
  const isParked = and(eq(begunWork.kind, kind), isNamed, isNotNull(begunWork.parkedAt));
  // Usually there is none, and a read needs no disk write.
  const [parkedRow] = await read.select({ key: begunWork.key }).from(begunWork).where(isParked).limit(1);
  if (parkedRow === undefined) return 0;
  const retried = await transact((tx) =>
    tx.delete(begunWork).where(isParked).returning({ key: begunWork.key }),
  );
  return retried.length;
}

/** Returns the keys of one kind that are parked. */
export async function parkedKeys(
  { read, tables: { begunWork } }: Storage,
  kind: WorkKind,
): Promise<ReadonlySet<string>> {
  const isParked = and(eq(begunWork.kind, kind), isNotNull(begunWork.parkedAt));
  const rows = await read.select({ key: begunWork.key }).from(begunWork).where(isParked);
  return new Set(rows.map(({ key }) => key));
}

/** Returns parked work, the oldest first. */
export async function parkedWork(
  { read, tables: { begunWork } }: Storage,
  limit: number,
): Promise<ParkedWork[]> {
  const { kind, key, parkedAt } = begunWork;
  const rows = await read
    .select({ kind, key, parkedAt })
    .from(begunWork)
    .where(isNotNull(parkedAt))
    .orderBy(asc(parkedAt), asc(key))
    .limit(limit);
  return rows.map((row) => ({ ...row, kind: row.kind as WorkKind, parkedAt: row.parkedAt ?? new Date(0) }));
}
