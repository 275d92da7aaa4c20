import { and, eq, gt, inArray, isNotNull, lt } from "drizzle-orm";
import type { Storage } from "../../../../storage/storage.ts";
import type { McpTaskRow, McpTaskTables } from "./schema.ts";

export type TaskStorage = Storage<McpTaskTables>;

type Key = Pick<McpTaskRow, "tenant" | "id">;

const ofKey = ({ mcpTasks }: McpTaskTables, { tenant, id }: Key) =>
  and(eq(mcpTasks.tenant, tenant), eq(mcpTasks.id, id));

export async function insertTask(
  { tables: { mcpTasks }, transact }: TaskStorage,
  row: McpTaskRow,
): Promise<void> {
  await transact((tx) => tx.insert(mcpTasks).values(row));
}

export async function findTask({ tables, read }: TaskStorage, key: Key): Promise<McpTaskRow | undefined> {
  const [row] = await read.select().from(tables.mcpTasks).where(ofKey(tables, key));
  return row;
}

/** Changes a task that has not ended. With `owner`, only if that process runs it. Returns false if nothing was changed. */
export async function changeTask(
  { tables, transact }: TaskStorage,
  key: Key,
  change: Partial<Omit<McpTaskRow, keyof Key>>,
  owner?: string,
): Promise<boolean> {
  const { mcpTasks } = tables;
  const rows = await transact((tx) =>
    tx
      .update(mcpTasks)
      .set(change)
      .where(
        and(
          ofKey(tables, key),
          eq(mcpTasks.status, "working"),
          owner === undefined ? undefined : eq(mcpTasks.owner, owner),
        ),
      )
      .returning({ id: mcpTasks.id }),
  );
  return rows.length > 0;
}

/** Renews the lease of a process on what it runs. Returns the ids that it still has. */
export async function holdTasks(
  { tables: { mcpTasks }, transact }: TaskStorage,
  owner: string,
  ids: readonly string[],
  heldUntil: Date,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await transact((tx) =>
    tx
      .update(mcpTasks)
      .set({ heldUntil })
      .where(and(eq(mcpTasks.owner, owner), eq(mcpTasks.status, "working"), inArray(mcpTasks.id, [...ids])))
      .returning({ id: mcpTasks.id }),
  );
  return rows.map(({ id }) => id);
}

/** Tasks of all tenants whose process let its lease end before this time. */
export function abandonedTasks(
  { tables: { mcpTasks }, read }: TaskStorage,
  heldBefore: Date,
): Promise<McpTaskRow[]> {
  return read
    .select()
    .from(mcpTasks)
    .where(and(eq(mcpTasks.status, "working"), isNotNull(mcpTasks.owner), lt(mcpTasks.heldUntil, heldBefore)))
    .limit(100);
}

/** Takes an abandoned task over. Returns false if another process has. */
export async function claimTask(
  { tables, transact }: TaskStorage,
  { tenant, id, interruptions, heldUntil: lastHeld }: McpTaskRow,
  { owner, heldUntil }: { owner: string; heldUntil: Date },
): Promise<boolean> {
  const { mcpTasks } = tables;
  if (lastHeld === null) return false;
  const isLeft = lastHeld.getTime() === leftAt.getTime();
  const rows = await transact((tx) =>
    tx
      .update(mcpTasks)
      .set({ owner, heldUntil, interruptions: interruptions + (isLeft ? 0 : 1) })
      .where(
        and(ofKey(tables, { tenant, id }), eq(mcpTasks.status, "working"), eq(mcpTasks.heldUntil, lastHeld)),
      )
      .returning({ id: mcpTasks.id }),
  );
  return rows.length > 0;
}

/** End of the lease on what a process left when it stopped, and on what it had when it died. */
const leftAt = new Date(0);
const diedAt = new Date(1);

/** Leaves what a process runs to the next one. */
export async function leaveTasks(
  { tables: { mcpTasks }, transact }: TaskStorage,
  owner: string,
): Promise<void> {
  await transact((tx) =>
    tx
      .update(mcpTasks)
      .set({ heldUntil: leftAt })
      .where(and(eq(mcpTasks.status, "working"), eq(mcpTasks.owner, owner))),
  );
}

/** Ends the leases of all processes, which are known to be dead. */
export async function endLeases({ tables: { mcpTasks }, transact }: TaskStorage): Promise<void> {
  await transact((tx) =>
    tx
      .update(mcpTasks)
      .set({ heldUntil: diedAt })
      .where(and(eq(mcpTasks.status, "working"), isNotNull(mcpTasks.owner), gt(mcpTasks.heldUntil, diedAt))),
  );
}

/** Deletes what was made before `olderThan`. */
export async function pruneTasks(
  { tables: { mcpTasks }, transact }: TaskStorage,
  olderThan: Date,
): Promise<void> {
  await transact((tx) => tx.delete(mcpTasks).where(lt(mcpTasks.createdAt, olderThan)));
}

/** Deletes what an agent's tasks said, in one session or in all. Returns the number. */
export async function forgetTasks(
  { tables: { mcpTasks }, transact }: TaskStorage,
  { tenant, agent, sessionId }: { tenant: string; agent: string; sessionId?: string },
): Promise<number> {
  const rows = await transact((tx) =>
    tx
      .delete(mcpTasks)
      .where(
        and(
          eq(mcpTasks.tenant, tenant),
          eq(mcpTasks.agent, agent),
          sessionId === undefined ? undefined : eq(mcpTasks.sessionId, sessionId),
        ),
      )
      .returning({ id: mcpTasks.id }),
  );
  return rows.length;
}
