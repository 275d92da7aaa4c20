import type { Columns } from "../../../storage/columns.ts";

/** `approved`, `rejected` and `answered` say what came; the run that follows is over when `endedAt` is set. */
export type ApprovalState = "pending" | "approved" | "rejected" | "answered" | "expired" | "failed";

/** What is waited for: a person's decision on a call, or the result of one that the caller carries out. */
export type WaitKind = "approval" | "tool_call";

/** Calls that wait for a person or for the caller, or did. What was said in the run stands here sealed only. */
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
      /** Of the agents and the program that the run began with. */
      fingerprint: text("fingerprint").notNull(),
      /** Sealed: the call. */
      asked: text("asked").notNull(),
      /** Sealed: the run that goes on; gone once it can't any more. */
      run: text("run"),
      /** Sealed: what the person said. */
      comment: text("comment"),
      /** Sealed: the result, or the error. */
      outcome: text("outcome"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      decidedAt: instant("decided_at"),
      endedAt: instant("ended_at"),
      /** The process in which the run goes on, and until when it is trusted to be alive. */
      owner: text("owner"),
      heldUntil: instant("held_until"),
      /** The call that the run paused at next. */
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
