import { and, eq, gt } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import type { PlatformApprovalRow } from "./schema.ts";

/** A person's decision. */
export interface ApprovalVerdict {
  approvalId: string;
  verdict: "approved" | "rejected";
  comment: string | undefined;
  /** `user:` and the id, or `key:` and the hash. */
  decidedBy: string;
}

/** Stores the decision. Throws `approval_expired` or `approval_decided` (409) if it is too late; the first decision counts. */
export async function claimApproval(
  tx: Query,
  tables: PlatformTables,
  tenantId: string,
  { approvalId, verdict, comment, decidedBy }: ApprovalVerdict,
  now: Date,
): Promise<void> {
  const { approvals } = tables;
  const [claimed] = await tx
    .update(approvals)
    .set({ status: verdict, comment: comment ?? null, decidedBy, decidedAt: now })
    .where(
      and(
        eq(approvals.tenantId, tenantId),
        eq(approvals.id, approvalId),
        eq(approvals.status, "pending"),
        gt(approvals.expiresAt, now),
      ),
    )
    .returning({ id: approvals.id });
  if (claimed === undefined) requirePending(await getApproval(tx, tables, tenantId, approvalId), now);
}

/** Throws `approval_not_found`. */
export async function getApproval(
  query: ReadQuery,
  { approvals }: PlatformTables,
  tenantId: string,
  id: string,
): Promise<PlatformApprovalRow> {
  const [row] = await query
    .select()
    .from(approvals)
    .where(and(eq(approvals.tenantId, tenantId), eq(approvals.id, id)));
  if (row !== undefined) return row;
  throw new AppError("not_found", "approval_not_found", "There is no approval with this id.", {
    details: { hint: "GET /api/v1/approvals?status=pending lists pending approvals." },
  });
}

/** Throws `approval_expired` or `approval_decided` if no decision is possible any more. */
export function requirePending({ status, expiresAt }: PlatformApprovalRow, now: Date): void {
  if (status === "expired" || (status === "pending" && expiresAt <= now)) {
    throw new AppError(
      "conflict",
      "approval_expired",
      `The approval expired at ${expiresAt.toISOString()}; the call was not carried out.`,
      { details: { hint: "Run the agent again." } },
    );
  }
  if (status === "pending") return;
  throw new AppError("conflict", "approval_decided", `The approval was already decided: ${status}.`);
}
