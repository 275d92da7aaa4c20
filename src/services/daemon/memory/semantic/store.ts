import { and, asc, eq, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { MemoryOwner } from "../../../../engine/memory/memory-scope.ts";
import { claimable } from "../../../../storage/claim.ts";
import { storableJson, storableText } from "../../../../storage/column-values.ts";
import type { Storage } from "../../../../storage/storage.ts";
import type { SemanticTables, WaitingText } from "./schema.ts";

/** What was said at once and waits to be kept. */
export type MemoryWrite = Omit<SemanticTables["memoryWrites"]["$inferSelect"], "dueAt">;

export type NewWrite = Omit<MemoryWrite, "forgotten" | "attempts">;

/** Which of the texts that wait; all that is named must hold. */
export interface WriteSelection {
  /** Of a text. */
  id?: string;
  sessionId?: string;
  user?: string;
}

type Semantic = Storage<SemanticTables>;

/** Rows of one statement. */
const rowsTogether = 100;

/** Lets texts wait; one that waits already stays as it is. */
export async function insertWrites(storage: Semantic, writes: readonly NewWrite[]): Promise<void> {
  const { memoryWrites } = storage.tables;
  await storage.transact(async (tx) => {
    for (let from = 0; from < writes.length; from += rowsTogether) {
      const rows = writes.slice(from, from + rowsTogether).map((write) => ({
        ...write,
        texts: write.texts.map(storable),
        forgotten: false,
        attempts: 0,
        dueAt: storage.instant(),
      }));
      await tx.insert(memoryWrites).values(rows).onConflictDoNothing();
    }
  });
}

function storable({ id, text, metadata }: WaitingText): WaitingText {
  return { id, text: storableText(text), metadata: storableJson(metadata) };
}

/**
 * The first rows that are due, in their order, which from now on are the caller's until `untilMs` from now. Rows of the agents
 * in `except` stay.
 */
export function claimWrites(
  storage: Semantic,
  { limit, untilMs, except }: { limit: number; untilMs: number; except: readonly MemoryOwner[] },
): Promise<MemoryWrite[]> {
  const { memoryWrites } = storage.tables;
  return storage.transact(
    async (tx) => {
      const now = storage.instant();
      const select = tx
        .select({ tenant: memoryWrites.tenant, id: memoryWrites.id })
        .from(memoryWrites)
        .where(and(lte(memoryWrites.dueAt, now), ofOthers(memoryWrites, except)))
        .orderBy(asc(memoryWrites.dueAt), asc(memoryWrites.id))
        .limit(limit);
      const due = tx.$with("due").as(claimable(storage, select));
      const rows = await tx
        .with(due)
        .update(memoryWrites)
        .set({ dueAt: storage.instant(untilMs), attempts: sql`${memoryWrites.attempts} + 1` })
        .where(sql`(${memoryWrites.tenant}, ${memoryWrites.id}) in (select tenant, id from ${due})`)
        .returning();
      return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    { isolation: "read committed" },
  );
}

/** Which of these rows are still there, and the texts that they still hold: what was forgotten is not among them. */
export async function textsLeft(
  { read, tables: { memoryWrites } }: Semantic,
  rows: readonly MemoryWrite[],
): Promise<{ rows: ReadonlySet<string>; texts: ReadonlySet<string> }> {
  const { id, forgotten, texts } = memoryWrites;
  const now = await read
    .select({ id, forgotten, texts })
    .from(memoryWrites)
    .where(ofRows(memoryWrites, rows));
  const left = now.flatMap((row) => (row.forgotten ? [] : row.texts.map((text) => text.id)));
  return { rows: new Set(now.map((row) => row.id)), texts: new Set(left) };
}

/** The rows are done with. */
export async function deleteWrites(
  { transact, tables: { memoryWrites } }: Semantic,
  rows: readonly MemoryWrite[],
): Promise<void> {
  await transact((tx) =>
    tx.delete(memoryWrites).where(ofRows(memoryWrites, rows)).returning({ id: memoryWrites.id }),
  );
}

/** The rows may be tried again from `delayMs` on. */
export async function postponeWrites(
  storage: Semantic,
  rows: readonly MemoryWrite[],
  delayMs: number,
): Promise<void> {
  const { memoryWrites } = storage.tables;
  await storage.transact((tx) =>
    tx
      .update(memoryWrites)
      .set({ dueAt: storage.instant(delayMs) })
      .where(ofRows(memoryWrites, rows))
      .returning({ id: memoryWrites.id }),
  );
}

/** All rows, or those of one agent, may be tried now. */
export async function dueAtOnce(storage: Semantic, owner?: MemoryOwner): Promise<void> {
  const { memoryWrites } = storage.tables;
  await storage.transact((tx) =>
    tx
      .update(memoryWrites)
      .set({ dueAt: storage.instant() })
      .where(owner && ofOwner(memoryWrites, owner))
      .returning({ id: memoryWrites.id }),
  );
}

/** What is selected of an agent's texts that wait is forgotten: nothing of what they say is left. How many texts they were. */
export function forgetWrites(
  { transact, tables: { memoryWrites } }: Semantic,
  owner: MemoryOwner,
  { id, sessionId, user }: WriteSelection,
): Promise<number> {
  return transact(async (tx) => {
    const rows = await tx
      .select()
      .from(memoryWrites)
      .where(
        and(
          ofOwner(memoryWrites, owner),
          eq(memoryWrites.forgotten, false),
          sessionId === undefined ? undefined : eq(memoryWrites.sessionId, sessionId),
          user === undefined ? undefined : eq(memoryWrites.user, user),
        ),
      );
    let forgotten = 0;
    for (const row of rows) {
      const gone = id === undefined ? row.texts : row.texts.filter((text) => text.id === id);
      if (gone.length === 0) continue;
      forgotten += gone.length;
      const isAll = gone.length === row.texts.length;
      const texts = isAll
        ? row.texts.map((text) => ({ id: text.id, text: "", metadata: {} }))
        : row.texts.filter((text) => text.id !== id);
      await tx
        .update(memoryWrites)
        .set({ texts, forgotten: isAll })
        .where(and(eq(memoryWrites.tenant, row.tenant), eq(memoryWrites.id, row.id)))
        .returning({ id: memoryWrites.id });
    }
    return forgotten;
  });
}

/** Forgets an agent: what waits, and what its vectors were made by. */
export async function forgetOwner(
  { transact, tables: { memoryWrites, memoryCollections } }: Semantic,
  owner: MemoryOwner,
): Promise<void> {
  await transact(async (tx) => {
    await tx.delete(memoryWrites).where(ofOwner(memoryWrites, owner)).returning({ id: memoryWrites.id });
    await tx
      .delete(memoryCollections)
      .where(ofOwner(memoryCollections, owner))
      .returning({ agent: memoryCollections.agent });
  });
}

/** Whether anything waits. */
export async function hasWrites({ read, tables: { memoryWrites } }: Semantic): Promise<boolean> {
  const [row] = await read.select({ id: memoryWrites.id }).from(memoryWrites).limit(1);
  return row !== undefined;
}

/** How many writes of an agent wait. */
export async function countWrites(
  { read, tables: { memoryWrites } }: Semantic,
  owner: MemoryOwner,
): Promise<number> {
  return await read.$count(memoryWrites, ofOwner(memoryWrites, owner));
}

/** What the vectors of an agent's memory are made by, and where they are. */
export interface MadeBy {
  store: string;
  embedder: string;
  dimension: number;
  /** The id written into the place; null: not recorded yet. */
  place: string | null;
  /** The origin of the texts that were kept last; null: not known. */
  newest: string | null;
}

/** What the vectors of an agent's memory are made by; undefined while it has none. */
export async function findCollection(
  { read, tables: { memoryCollections } }: Semantic,
  owner: MemoryOwner,
): Promise<MadeBy | undefined> {
  const { store, embedder, dimension, place, newest } = memoryCollections;
  const [row] = await read
    .select({ store, embedder, dimension, place, newest })
    .from(memoryCollections)
    .where(ofOwner(memoryCollections, owner));
  return row;
}

/** The agents that have vectors, and what those are made by. */
export function listCollections(
  { read, tables: { memoryCollections } }: Semantic,
  limit: number,
): Promise<(MadeBy & MemoryOwner)[]> {
  return read.select().from(memoryCollections).limit(limit);
}

/** Says what the vectors of an agent's memory are made by from now on. */
export async function setCollection(
  { transact, tables: { memoryCollections } }: Semantic,
  owner: MemoryOwner,
  made: MadeBy,
): Promise<void> {
  const { tenant, agent } = owner;
  await transact((tx) =>
    tx
      .insert(memoryCollections)
      .values({ tenant, agent, ...made })
      .onConflictDoUpdate({ target: [memoryCollections.tenant, memoryCollections.agent], set: made })
      .returning({ agent: memoryCollections.agent }),
  );
}

/** Changes what is known of where an agent's vectors are. */
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

function ofOwner(
  table: SemanticTables["memoryWrites"] | SemanticTables["memoryCollections"],
  { tenant, agent }: MemoryOwner,
): SQL | undefined {
  return and(eq(table.tenant, tenant), eq(table.agent, agent));
}

function ofOthers(
  { tenant, agent }: SemanticTables["memoryWrites"],
  owners: readonly MemoryOwner[],
): SQL | undefined {
  if (owners.length === 0) return undefined;
  const values = owners.map((owner) => sql`(${owner.tenant}, ${owner.agent})`);
  return sql`(${tenant}, ${agent}) not in (values ${sql.join(values, sql`, `)})`;
}

function ofRows(table: SemanticTables["memoryWrites"], rows: readonly MemoryWrite[]): SQL | undefined {
  const [first] = rows;
  return and(
    // Rows of one agent are worked on together.
    eq(table.tenant, first?.tenant ?? ""),
    inArray(
      table.id,
      rows.map(({ id }) => id),
    ),
  );
}
