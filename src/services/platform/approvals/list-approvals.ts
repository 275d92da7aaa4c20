import { and, desc, eq } from "drizzle-orm";
import type { PlatformApproval, PlatformApprovalList } from "../../../contracts/platform/runs/approvals.ts";
import type { StoreDeps } from "../tables.ts";
import { openAsked, type Sealing } from "./record-approval.ts";
import type { PlatformApprovalRow, PlatformApprovalStatus } from "./schema.ts";

/** A tenant's approvals, newest first; with `status`, only those. */
export async function listApprovals(
  deps: Pick<StoreDeps, "storage"> & Sealing,
  tenantId: string,
  { status, limit }: { status: PlatformApprovalStatus | undefined; limit: number },
): Promise<PlatformApprovalList> {
  const { read, tables } = deps.storage;
  const { approvals } = tables;
  const rows = await read
    .select()
    .from(approvals)
    .where(
      and(eq(approvals.tenantId, tenantId), status === undefined ? undefined : eq(approvals.status, status)),
    )
    .orderBy(desc(approvals.id))
    .limit(limit);
  return { approvals: rows.map((row) => presentApproval(deps, row)) };
}

function presentApproval(deps: Sealing, row: PlatformApprovalRow): PlatformApproval {
  const { agent, tool, input, question } = openAsked(deps, row);
  const {
    id,
    invocationId,
    agentName,
    sessionId,
    status,
    comment,
    decidedBy,
    createdAt,
    expiresAt,
    decidedAt,
  } = row;
  return {
    id,
    invocation_id: invocationId,
    agent: agentName,
    ...(agent === undefined || agent === agentName ? {} : { via: agent }),
    session_id: sessionId,
    ...(tool === undefined ? {} : { tool }),
    ...(input === undefined ? {} : { input }),
    ...(question === undefined ? {} : { question }),
    status,
    ...(comment === null ? {} : { comment }),
    ...(decidedBy === null ? {} : { decided_by: decidedBy }),
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    ...(decidedAt === null ? {} : { decided_at: decidedAt.toISOString() }),
  };
}
