import { and, eq, or, type SQL, sql } from "drizzle-orm";
import type { MemoryOwner } from "../../../../engine/memory/long-term-memory.ts";
import type { Query, Storage } from "../../../../storage/storage.ts";
import type { SemanticTables } from "./schema.ts";
import { ofOwner } from "./store.ts";

/*
 * The records of agents' vectors: one for the store in use, with the agent's name or id, and one for each former store, with `agent@store`.
 * No name or id contains `@`. A record of a former store without an embedder belongs to a deleted agent: its texts could not be deleted
 * and must be, before an agent of that name uses the store.
 */

/** Store, embedder and place of the vectors of an agent's memory. */
export interface MadeBy {
  store: string;
  /** Empty if the texts belong to a deleted agent. */
  embedder: string;
  dimension: number;
  /** Id stored at the place; null if not yet recorded. */
  place: string | null;
  /** Origin of the latest stored texts; null if unknown. */
  newest: string | null;
  /** Bytes of the texts and vectors, about. */
  bytes: number;
}

type Semantic = Storage<SemanticTables>;
type Row = MadeBy & MemoryOwner;

/** Returns the record of an agent's vectors in the store in use; undefined if it has none. */
export async function findCollection(
  { read, tables: { memoryCollections } }: Semantic,
  owner: MemoryOwner,
): Promise<MadeBy | undefined> {
  const [row] = await read.select().from(memoryCollections).where(ofOwner(memoryCollections, owner));
  return row && madeBy(row);
}

/** Returns the record of an agent's vectors in a former store; undefined if it has none there. */
export function findFormer(
  storage: Semantic,
  { tenant, agent }: MemoryOwner,
  store: string,
): Promise<MadeBy | undefined> {
  return findCollection(storage, { tenant, agent: formerName(agent, store) });
}

/** Records of an agent's vectors in all stores that it has used. */
export async function allCollections(
  { read, tables: { memoryCollections } }: Semantic,
  owner: MemoryOwner,
): Promise<MadeBy[]> {
  const rows = await read.select().from(memoryCollections).where(ofAnyStore(memoryCollections, owner));
  return rows.map(madeBy);
}

/** Agents that have vectors, with the records of these in the stores in use. */
export function listCollections(
  { read, tables: { memoryCollections } }: Semantic,
  limit: number,
): Promise<Row[]> {
  const isCurrent = sql`${memoryCollections.agent} not like ${"%@%"}`;
  return read.select().from(memoryCollections).where(isCurrent).limit(limit);
}

/** Deleted agents of which texts are left, with the records of these. */
export async function listLeft(
  { read, tables: { memoryCollections } }: Semantic,
  limit: number,
): Promise<Row[]> {
  const rows = await read
    .select()
    .from(memoryCollections)
    .where(eq(memoryCollections.embedder, ""))
    .limit(limit);
  return rows.map((row) => ({ ...row, agent: row.agent.slice(0, row.agent.indexOf("@")) }));
}

/** Stores the record of an agent's vectors in the store that it uses from now on. The record of another store remains as a former one. */
export async function setCollection(
  { transact, tables: { memoryCollections } }: Semantic,
  owner: MemoryOwner,
  made: MadeBy,
): Promise<void> {
  await transact(async (tx) => {
    const [present] = await tx.select().from(memoryCollections).where(ofOwner(memoryCollections, owner));
    if (present !== undefined && present.store !== made.store)
      await putFormer(tx, memoryCollections, present);
    await put(tx, memoryCollections, { ...owner, ...made });
    const former = { ...owner, agent: formerName(owner.agent, made.store) };
    await tx
      .delete(memoryCollections)
      .where(ofOwner(memoryCollections, former))
      .returning({ agent: memoryCollections.agent });
  });
}

/** Updates the place or the newest text in the record of an agent's vectors. */
export async function updateCollection(
  { transact, tables: { memoryCollections } }: Semantic,
  owner: MemoryOwner,
  known: Partial<Pick<MadeBy, "place" | "newest">>,
): Promise<void> {
  await transact((tx) =>
    tx
      .update(memoryCollections)
      .set(known)
      .where(ofOwner(memoryCollections, owner))
      .returning({ agent: memoryCollections.agent }),
  );
}

/** Deletes an agent's waiting texts and its records of vectors, except those of texts that are `left` for later. */
export async function forgetOwner(
  { transact, tables: { memoryWrites, memoryCollections } }: Semantic,
  owner: MemoryOwner,
  left: readonly MadeBy[],
): Promise<void> {
  await transact(async (tx) => {
    await tx.delete(memoryWrites).where(ofOwner(memoryWrites, owner)).returning({ id: memoryWrites.id });
    await tx
      .delete(memoryCollections)
      .where(ofAnyStore(memoryCollections, owner))
      .returning({ agent: memoryCollections.agent });
    for (const made of left) {
      const { tenant, agent } = owner;
      await putFormer(tx, memoryCollections, { tenant, agent, ...made, embedder: "" });
    }
  });
}

/** Deletes the record of texts that were left and are deleted now. */
export async function forgetLeft(
  { transact, tables: { memoryCollections } }: Semantic,
  { tenant, agent, store }: Pick<Row, "tenant" | "agent" | "store">,
): Promise<void> {
  const former = { tenant, agent: formerName(agent, store) };
  await transact((tx) =>
    tx
      .delete(memoryCollections)
      .where(and(ofOwner(memoryCollections, former), eq(memoryCollections.embedder, "")))
      .returning({ agent: memoryCollections.agent }),
  );
}

type Table = SemanticTables["memoryCollections"];

const formerName = (agent: string, store: string) => `${agent}@${store}`;

const putFormer = (tx: Query, table: Table, row: Row) =>
  put(tx, table, { ...row, agent: formerName(row.agent, row.store) });

async function put(tx: Query, table: Table, row: Row): Promise<void> {
  const { tenant: _, agent: __, ...made } = row;
  await tx
    .insert(table)
    .values(row)
    .onConflictDoUpdate({ target: [table.tenant, table.agent], set: made })
    .returning({ agent: table.agent });
}

/** Condition for the records of an agent in all stores. */
function ofAnyStore(table: Table, { tenant, agent }: MemoryOwner): SQL | undefined {
  const start = formerName(agent, "");
  const isFormer = sql`substr(${table.agent}, 1, ${[...start].length}) = ${start}`;
  return and(eq(table.tenant, tenant), or(eq(table.agent, agent), isFormer));
}

const madeBy = ({ store, embedder, dimension, place, newest, bytes }: Row): MadeBy => ({
  store,
  embedder,
  dimension,
  place,
  newest,
  bytes,
});

/** Counts texts that were deleted from the store in use. */
export async function countRemoved(
  { transact, tables: { memoryCollections } }: Semantic,
  owner: MemoryOwner,
  removed: number | "all",
): Promise<void> {
  const { agent, bytes } = memoryCollections;
  const left = sql`case when ${bytes} > ${removed} then ${bytes} - ${removed} else 0 end`;
  await transact((tx) =>
    tx
      .update(memoryCollections)
      .set({ bytes: removed === "all" ? 0 : left })
      .where(ofOwner(memoryCollections, owner))
      .returning({ agent }),
  );
}
