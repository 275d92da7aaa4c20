import type { AppError } from "../../../kit/app-error.ts";
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
  /** Given by the caller; unique over the whole platform. */
  idempotency: { key: string; bodyHash: string } | undefined;
  runToken: { hash: string; reach: Record<string, unknown> } | undefined;
  /** The process that will run it. */
  owner: string;
  now: Date;
  timeoutMs: number;
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
