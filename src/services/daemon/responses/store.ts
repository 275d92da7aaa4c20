import { and, eq, inArray, lt } from "drizzle-orm";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { ResponseRow, ResponseTables } from "./schema.ts";

export type Responses = Storage<ResponseTables>;

export async function insertResponse(
  { tables: { responses }, transact }: Responses,
  row: ResponseRow,
): Promise<void> {
  await transact((tx) => tx.insert(responses).values(row));
}

export async function findResponse(
  { tables: { responses }, read }: Responses,
  tenant: string,
  id: string,
): Promise<ResponseRow | undefined> {
  const [row] = await read
    .select()
    .from(responses)
    .where(and(eq(responses.tenant, tenant), eq(responses.id, id)));
  return row;
}

/** Writes how a response ended. Returns false if it had ended before, or is gone. */
export async function endResponse(
  { tables: { responses }, transact }: Responses,
  tenant: string,
  id: string,
  { status, body }: Pick<ResponseRow, "status" | "body">,
): Promise<boolean> {
  const rows = await transact((tx) =>
    tx
      .update(responses)
      .set({ status, body, owner: null, heldUntil: null })
      .where(and(eq(responses.tenant, tenant), eq(responses.id, id), eq(responses.status, "in_progress")))
      .returning({ id: responses.id }),
  );
  return rows.length > 0;
}

export async function deleteResponse(
  { tables: { responses }, transact }: Responses,
  tenant: string,
  id: string,
): Promise<boolean> {
  const rows = await transact((tx) =>
    tx
      .delete(responses)
      .where(and(eq(responses.tenant, tenant), eq(responses.id, id)))
      .returning({ id: responses.id }),
  );
  return rows.length > 0;
}

/** Renews the lease of a process on what it runs. Returns the ids that are still under way. */
export async function holdResponses(
  { tables: { responses }, transact }: Responses,
  owner: string,
  ids: readonly string[],
  heldUntil: Date,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await transact((tx) =>
    tx
      .update(responses)
      .set({ heldUntil })
      .where(and(eq(responses.owner, owner), inArray(responses.id, [...ids])))
      .returning({ id: responses.id }),
  );
  return rows.map(({ id }) => id);
}

/** Those of all tenants that are under way and whose process let its lease end before `heldBefore`. */
export async function abandonedResponses(
  { tables: { responses }, read }: Responses,
  heldBefore: Date,
): Promise<ResponseRow[]> {
  return read
    .select()
    .from(responses)
    .where(and(eq(responses.status, "in_progress"), lt(responses.heldUntil, heldBefore)))
    .limit(100);
}

/** Takes an abandoned response over. Returns false if another process has. */
export async function claimResponse(
  { tables: { responses }, transact }: Responses,
  { tenant, id, heldUntil: lastHeld }: ResponseRow,
  claim: { owner: string; heldUntil: Date },
): Promise<boolean> {
  if (lastHeld === null) return false;
  const isMeant = and(
    eq(responses.tenant, tenant),
    eq(responses.id, id),
    eq(responses.status, "in_progress"),
    eq(responses.heldUntil, lastHeld),
  );
  const rows = await transact((tx) =>
    tx.update(responses).set(claim).where(isMeant).returning({ id: responses.id }),
  );
  return rows.length > 0;
}

/** Ends the leases on what is under way, or on one of it. */
export async function endResponseLeases(
  { tables: { responses }, transact }: Responses,
  id?: string,
): Promise<void> {
  const isMeant = id === undefined ? undefined : eq(responses.id, id);
  await transact((tx) =>
    tx
      .update(responses)
      .set({ heldUntil: new Date(0) })
      .where(and(eq(responses.status, "in_progress"), isMeant)),
  );
}

/** Deletes what was made before `olderThan`. */
export async function pruneResponses(storage: Responses, olderThan: Date): Promise<void> {
  const { responses } = storage.tables;
  await deleteInPieces(storage, responses, lt(responses.createdAt, olderThan));
}

/** Deletes what an agent answered, in one session or in all. Returns the number. */
export async function forgetResponses(
  { tables: { responses }, transact }: Responses,
  { tenant, agent, sessionId }: { tenant: string; agent: string; sessionId?: string },
): Promise<number> {
  const rows = await transact((tx) =>
    tx
      .delete(responses)
      .where(
        and(
          eq(responses.tenant, tenant),
          eq(responses.agent, agent),
          sessionId === undefined ? undefined : eq(responses.sessionId, sessionId),
        ),
      )
      .returning({ id: responses.id }),
  );
  return rows.length;
}
