import { and, desc, eq, gt, inArray, isNull, lt, lte, ne } from "drizzle-orm";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { ApprovalRow, ApprovalState, ApprovalTables, WaitKind } from "./schema.ts";

type Table = ApprovalTables["approvals"];
/** A new row for a call that needs approval or a result. */
export type NewApproval = Pick<
  ApprovalRow,
  "id" | "kind" | "agent" | "sessionId" | "fingerprint" | "asked" | "createdAt" | "expiresAt"
> & { run: string };

type Approvals = Storage<ApprovalTables>;

/** A decision, and the process that resumes the run. */
export interface RunClaim {
  status: "approved" | "rejected" | "answered";
  comment: string | null;
  owner: string;
  now: Date;
  heldUntil: Date;
}

/** Outcome of a resumed run. */
export interface PausedRunEnding {
  owner: string;
  now: Date;
  outcome: string | null;
  failed?: boolean;
}

const undecided = { decidedAt: null, comment: null, owner: null, heldUntil: null };
const over = { run: null, owner: null, heldUntil: null };

export async function insertApproval(
  { tables: { approvals }, transact }: Approvals,
  tenant: string,
  approval: NewApproval,
): Promise<void> {
  await transact((tx) => tx.insert(approvals).values({ ...approval, tenant, status: "pending" }));
}

export async function findApproval(
  { tables: { approvals }, read }: Approvals,
  tenant: string,
  id: string,
): Promise<ApprovalRow | undefined> {
  const [row] = await read
    .select()
    .from(approvals)
    .where(ofId(approvals, tenant, id));
  return row;
}

/** Finds the approval of any tenant except `tenant`, for a control plane that knows the owner. */
export async function findApprovalOfOthers(
  { tables: { approvals }, read }: Approvals,
  tenant: string,
  id: string,
): Promise<ApprovalRow | undefined> {
  const [row] = await read
    .select()
    .from(approvals)
    .where(and(eq(approvals.id, id), ne(approvals.tenant, tenant)));
  return row;
}

/** Newest first. */
export function listApprovals(
  { tables: { approvals }, read }: Approvals,
  tenant: string,
  kind: WaitKind,
  { status, agent, limit }: { status?: ApprovalState; agent?: string; limit: number },
): Promise<ApprovalRow[]> {
  return read
    .select()
    .from(approvals)
    .where(
      and(
        eq(approvals.tenant, tenant),
        eq(approvals.kind, kind),
        status === undefined ? undefined : eq(approvals.status, status),
        agent === undefined ? undefined : eq(approvals.agent, agent),
      ),
    )
    .orderBy(desc(approvals.createdAt), desc(approvals.id))
    .limit(limit);
}

/** Returns those of the ids that wait or whose runs have not ended. */
export async function stillUnderWay(
  { tables: { approvals }, read }: Approvals,
  tenant: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await read
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(eq(approvals.tenant, tenant), inArray(approvals.id, [...ids]), isNull(approvals.endedAt)));
  return rows.map(({ id }) => id);
}

/** Claims a pending approval for one decision. Returns undefined if it is no longer pending; the caller must not act on it then. */
export async function claimApproval(
  { tables: { approvals }, transact }: Approvals,
  tenant: string,
  id: string,
  { now, ...claim }: RunClaim,
): Promise<ApprovalRow | undefined> {
  const [row] = await transact((tx) =>
    tx
      .update(approvals)
      .set({ ...claim, decidedAt: now })
      .where(and(ofId(approvals, tenant, id), eq(approvals.status, "pending"), gt(approvals.expiresAt, now)))
      .returning(),
  );
  return row;
}

/** Makes a claimed approval pending again, for a run that did nothing yet. Returns false if `owner` no longer owns it. */
export async function releaseApproval(
  { tables: { approvals }, transact }: Approvals,
  tenant: string,
  id: string,
  owner: string,
): Promise<boolean> {
  const rows = await transact((tx) =>
    tx
      .update(approvals)
      .set({ status: "pending", ...undecided })
      .where(isUnderWay(approvals, tenant, id, owner))
      .returning({ id: approvals.id }),
  );
  return rows.length > 0;
}

/** Writes the run's outcome and its next pause. Returns false if the run was failed as abandoned in the meantime. */
export async function endApproval(
  { tables: { approvals }, transact }: Approvals,
  tenant: string,
  id: string,
  { owner, now, outcome, failed }: PausedRunEnding,
  next?: NewApproval,
): Promise<boolean> {
  return transact(async (tx) => {
    const rows = await tx
      .update(approvals)
      .set({
        ...over,
        outcome,
        endedAt: now,
        ...(failed && { status: "failed" as const }),
        ...(next && { nextId: next.id }),
      })
      .where(isUnderWay(approvals, tenant, id, owner))
      .returning({ id: approvals.id });
    if (rows.length === 0) return false;
    if (next !== undefined) await tx.insert(approvals).values({ ...next, tenant, status: "pending" });
    return true;
  });
}

/** Closes a pending approval as rejected when its run can't resume. Returns false if it was decided in the meantime. */
export async function closeRejected(
  { tables: { approvals }, transact }: Approvals,
  tenant: string,
  id: string,
  { now, comment }: Pick<RunClaim, "now" | "comment">,
): Promise<boolean> {
  const rows = await transact((tx) =>
    tx
      .update(approvals)
      .set({ ...over, status: "rejected", comment, decidedAt: now, endedAt: now })
      .where(and(ofId(approvals, tenant, id), eq(approvals.status, "pending"), gt(approvals.expiresAt, now)))
      .returning({ id: approvals.id }),
  );
  return rows.length > 0;
}

/** Expires undecided approvals of all tenants whose time is over. Returns their number. */
export async function expireApprovals(
  { tables: { approvals }, transact }: Approvals,
  now: Date,
): Promise<number> {
  const rows = await transact((tx) =>
    tx
      .update(approvals)
      .set({ ...over, status: "expired", endedAt: now })
      .where(and(eq(approvals.status, "pending"), lte(approvals.expiresAt, now)))
      .returning({ id: approvals.id }),
  );
  return rows.length;
}

/**
 * Fails the abandoned runs of all tenants: those whose lease ended before `heldBefore`, or all of them if it is undefined. Returns their
 * number.
 */
export async function failAbandoned(
  { tables: { approvals }, transact }: Approvals,
  now: Date,
  heldBefore: Date | undefined,
): Promise<number> {
  const rows = await transact((tx) =>
    tx
      .update(approvals)
      .set({ ...over, status: "failed", endedAt: now })
      .where(
        and(
          inArray(approvals.status, ["approved", "rejected", "answered"]),
          isNull(approvals.endedAt),
          heldBefore === undefined ? undefined : lt(approvals.heldUntil, heldBefore),
        ),
      )
      .returning({ id: approvals.id }),
  );
  return rows.length;
}

/** Renews the lease of a process on the runs it resumes. */
export async function holdApprovals(
  { tables: { approvals }, transact }: Approvals,
  owner: string,
  ids: readonly string[],
  heldUntil: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await transact((tx) =>
    tx
      .update(approvals)
      .set({ heldUntil })
      .where(and(eq(approvals.owner, owner), inArray(approvals.id, [...ids]))),
  );
}

/** Deletes approvals that ended before `olderThan`. */
export async function pruneApprovals(storage: Approvals, olderThan: Date): Promise<void> {
  const { approvals } = storage.tables;
  await deleteInPieces(storage, approvals, lt(approvals.endedAt, olderThan));
}

/** Deletes all approvals of an agent. */
export async function forgetApprovals(
  { tables: { approvals }, transact }: Approvals,
  { tenant, agent }: { tenant: string; agent: string },
): Promise<void> {
  await transact((tx) =>
    tx.delete(approvals).where(and(eq(approvals.tenant, tenant), eq(approvals.agent, agent))),
  );
}

/** Deletes the calls that the runs of a session wait, or waited, for. */
export async function forgetSessionApprovals(
  { tables: { approvals }, transact }: Approvals,
  { tenant, sessionId }: { tenant: string; sessionId: string },
): Promise<void> {
  await transact((tx) =>
    tx.delete(approvals).where(and(eq(approvals.tenant, tenant), eq(approvals.sessionId, sessionId))),
  );
}

const ofId = (table: Table, tenant: string, id: string) => and(eq(table.tenant, tenant), eq(table.id, id));

const isUnderWay = (table: Table, tenant: string, id: string, owner: string) =>
  and(ofId(table, tenant, id), eq(table.owner, owner), isNull(table.endedAt));
