import { and, asc, eq, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { MemoryOwner } from "../../../../engine/memory/long-term-memory.ts";
import { batches } from "../../../../kit/batches.ts";
import { claimable } from "../../../../storage/statement.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { storableJson, storableText } from "../../../../storage/tables/column-values.ts";
import type { SemanticTables, WaitingText } from "./schema.ts";

/** Texts added together that wait for their store. */
export type MemoryWrite = Omit<SemanticTables["memoryWrites"]["$inferSelect"], "dueAt">;

export type NewWrite = Omit<MemoryWrite, "forgotten" | "attempts">;

/** Selects waiting texts; all given conditions must match. */
export interface WriteSelection {
  /** Id of a text. */
  id?: string;
  sessionId?: string;
  user?: string;
}

type Semantic = Storage<SemanticTables>;

/** Rows per statement. */
const rowsTogether = 100;

/** Queues texts; ids that are already queued stay unchanged. */
export async function insertWrites(storage: Semantic, writes: readonly NewWrite[]): Promise<void> {
  const { memoryWrites } = storage.tables;
  await storage.transact(async (tx) => {
    for (const some of batches(writes, rowsTogether)) {
      const rows = some.map((write) => ({
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

/** Claims the first due rows, in order, for `untilMs`. Skips rows of the agents in `except`. */
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
      const due = tx.$with("due").as(claimable(memoryWrites, select));
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

/** Returns which of these rows still exist, and the texts they still contain. Deleted texts are not included. */
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

/** Bytes of a vector's number, and of a row besides its text and vector. */
const [numberBytes, rowBytes] = [4, 96];

/** Bytes of a text in a vector store, about. */
export const bytesOfText = ({ text }: Pick<WaitingText, "text">, dimension: number): number =>
  Buffer.byteLength(text) + dimension * numberBytes + rowBytes;

/** Deletes an agent's rows that are done, and counts those of their texts that are in the store now. */
export async function endWrites(
  { transact, tables: { memoryWrites, memoryCollections } }: Semantic,
  owner: MemoryOwner,
  rows: readonly MemoryWrite[],
  bytesOf: (row: MemoryWrite) => number,
): Promise<void> {
  await transact(async (tx) => {
    const gone = await tx
      .delete(memoryWrites)
      .where(ofRows(memoryWrites, rows))
      .returning({ id: memoryWrites.id });
    const ended = new Set(gone.map(({ id }) => id));
    const bytes = rows.reduce((sum, row) => sum + (ended.has(row.id) ? bytesOf(row) : 0), 0);
    if (bytes === 0) return;
    await tx
      .update(memoryCollections)
      .set({ bytes: sql`${memoryCollections.bytes} + ${bytes}` })
      .where(ofOwner(memoryCollections, owner))
      .returning({ agent: memoryCollections.agent });
  });
}

/** Makes the rows due in `delayMs`. */
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

/** Makes all rows, or those of one agent, due now. */
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

/** Deletes the selected waiting texts of an agent, including their contents. Returns the number of texts. */
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

/** Returns true if any writes wait. */
export async function hasWrites({ read, tables: { memoryWrites } }: Semantic): Promise<boolean> {
  const [row] = await read.select({ id: memoryWrites.id }).from(memoryWrites).limit(1);
  return row !== undefined;
}

/** Returns the number of an agent's waiting writes. */
export async function countWrites(
  { read, tables: { memoryWrites } }: Semantic,
  owner: MemoryOwner,
): Promise<number> {
  return await read.$count(memoryWrites, ofOwner(memoryWrites, owner));
}

/** Condition for the rows of an agent. */
export function ofOwner(
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
    // All rows in a batch belong to the same tenant.
    eq(table.tenant, first?.tenant ?? ""),
    inArray(
      table.id,
      rows.map(({ id }) => id),
    ),
  );
}
