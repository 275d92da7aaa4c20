import type { AppError } from "../../../kit/app-error.ts";
import type { ApprovalVerdict } from "../approvals/claim-approval.ts";
import type { PlanRow } from "../plans/schema.ts";
import type { RunHold } from "./size-hold.ts";

/** A run that somebody wants. */
export interface RunAttempt {
  tenantId: string;
  invocationId: string;
  agent: { id: string; name: string; version: number; subscriptionId: string | null };
  sessionId: string;
  /** Every model that the run may call, those of its sub-agents included. */
  candidates: readonly { provider: string; model: string }[];
  /** Whether each of them needs a tariff: otherwise the run is refused. */
  needsTariffs?: boolean;
  /** Given by the caller; unique over the whole platform. */
  idempotency: { key: string; bodyHash: string } | undefined;
  runToken: { hash: string; reach: Record<string, unknown> } | undefined;
  /** Set where a paused run goes on: it is admitted anew. */
  resumed?: ResumedRun;
  /** The process that will run it. */
  owner: string;
  now: Date;
  timeoutMs: number;
}

/** A paused run that somebody has decided on. */
export interface ResumedRun {
  verdict: ApprovalVerdict;
  /** What it has used before; a part of what it may use in all. */
  usedTokens: number;
  /** A refusal is a row of its own: the run goes on waiting. */
  rejectionId: string;
}

/** The plans whose limits a run keeps. */
export interface RunPlans {
  tenant: PlanRow;
  /** Of the agent's subscription. */
  subscription: PlanRow | undefined;
}

/** A run that may begin: it is on record, its hold is counted. */
export interface Admitted {
  hold: RunHold;
  plans: RunPlans;
}

/** What became of an attempt. */
export type AdmissionVerdict =
  | { kind: "admitted"; run: Admitted }
  /** On record too; thrown to the caller once that is committed. */
  | { kind: "rejected"; refusal: AppError }
  /** The key was used for a run before. */
  | { kind: "replay"; invocationId: string };
