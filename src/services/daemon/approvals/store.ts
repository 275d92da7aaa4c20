import { and, desc, eq, gt, inArray, isNull, lt, lte, ne } from "drizzle-orm";
import type { Storage } from "../../../storage/storage.ts";
import type { ApprovalRow, ApprovalState, ApprovalTables, WaitKind } from "./schema.ts";

type Table = ApprovalTables["approvals"];
/** A call that was just asked about, or for. */
export type NewApproval = Pick<
  ApprovalRow,
  "id" | "kind" | "agent" | "sessionId" | "fingerprint" | "asked" | "createdAt" | "expiresAt"
> & { run: string };

type Approvals = Storage<ApprovalTables>;

/** A decision, and the process in which the run is to go on. */
export interface Claim {
  status: "approved" | "rejected" | "answered";
  comment: string | null;
  owner: string;
  now: Date;
  heldUntil: Date;
}

/** How the run ended that went on. */
export interface Ending {
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

/** Whoever's it is, for a control plane that knows whose; never the tenant's that is left out. */
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

/** Of these, the ids of those that wait or whose runs go on. */
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

/** Takes a pending approval for one decision; undefined when it isn't pending any more: then nobody may act on it. */
export async function claimApproval(
  { tables: { approvals }, transact }: Approvals,
  tenant: string,
  id: string,
  { now, ...claim }: Claim,
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

/** Makes a claimed approval pending again, for a run that did nothing yet; false when it is not the owner's any more. */
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

/** Writes how the run ended, and where it paused again; false when it was given up as abandoned meanwhile. */
export async function endApproval(
  { tables: { approvals }, transact }: Approvals,
  tenant: string,
  id: string,
  { owner, now, outcome, failed }: Ending,
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

/** Closes a pending approval whose run can't go on as rejected; false when it was decided meanwhile. */
export async function closeRejected(
  { tables: { approvals }, transact }: Approvals,
  tenant: string,
  id: string,
  { now, comment }: Pick<Claim, "now" | "comment">,
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

/** Closes, for all tenants, what nobody decided on in time; how many. */
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
 * Closes, for all tenants, runs whose process has died: `heldBefore` is the instant until which one that lives has held its
 * own; undefined: none lives. How many.
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

/** Says of the runs that go on in a process that it is alive. */
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

/** Forgets what ended before `olderThan`. */
export async function pruneApprovals(
  { tables: { approvals }, transact }: Approvals,
  olderThan: Date,
): Promise<void> {
  await transact((tx) => tx.delete(approvals).where(lt(approvals.endedAt, olderThan)));
}

/** Forgets everything of an agent. */
export async function forgetApprovals(
  { tables: { approvals }, transact }: Approvals,
  { tenant, agent }: { tenant: string; agent: string },
): Promise<void> {
  await transact((tx) =>
    tx.delete(approvals).where(and(eq(approvals.tenant, tenant), eq(approvals.agent, agent))),
  );
}

const ofId = (table: Table, tenant: string, id: string) => and(eq(table.tenant, tenant), eq(table.id, id));

const isUnderWay = (table: Table, tenant: string, id: string, owner: string) =>
  and(ofId(table, tenant, id), eq(table.owner, owner), isNull(table.endedAt));
