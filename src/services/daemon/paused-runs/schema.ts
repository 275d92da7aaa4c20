import type { Columns } from "../../../storage/tables/columns.ts";

/** `approved`, `rejected` and `answered` record the decision; the resumed run has ended when `endedAt` is set. */
export type ApprovalState = "pending" | "approved" | "rejected" | "answered" | "expired" | "failed";

/** Awaited input: a person's decision on a call, or the result of a call that the caller carries out. */
export type WaitKind = "approval" | "tool_call";

/** Calls that wait, or waited, for a person or for the caller. Contents of the run are stored sealed only. */
export const approvalTables = ({ table, id, text, instant, index, primaryKey }: Columns) => ({
  approvals: table(
    "approvals",
    {
      tenant: id("tenant").notNull(),
      id: id("id").notNull(),
      kind: text("kind").$type<WaitKind>().notNull().default("approval"),
      agent: id("agent").notNull(),
      sessionId: text("session_id").notNull(),
      status: text("status").$type<ApprovalState>().notNull(),
      /** Fingerprint of the agents and the program that the run began with. */
      fingerprint: text("fingerprint").notNull(),
      /** Sealed: the call. */
      asked: text("asked").notNull(),
      /** Sealed: the paused run; null when it can no longer resume. */
      run: text("run"),
      /** Sealed: the person's comment. */
      comment: text("comment"),
      /** Sealed: the result, or the error. */
      outcome: text("outcome"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      decidedAt: instant("decided_at"),
      endedAt: instant("ended_at"),
      /** Process that resumes the run, and the end of its lease. */
      owner: text("owner"),
      heldUntil: instant("held_until"),
      /** Next call that the run paused at. */
      nextId: id("next_id"),
    },
    (approval) => [
      primaryKey({ columns: [approval.tenant, approval.id] }),
      index("approvals_agent").on(approval.tenant, approval.agent, approval.id),
      index("approvals_due").on(approval.status, approval.expiresAt),
      index("approvals_age").on(approval.endedAt),
    ],
  ),
});

export type ApprovalTables = ReturnType<typeof approvalTables>;

export type ApprovalRow = ApprovalTables["approvals"]["$inferSelect"];
