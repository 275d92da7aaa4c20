import type { DeclaredSource } from "../../../../contracts/daemon/runs/run-source.ts";
import type { AppError } from "../../../../kit/app-error.ts";
import type { ApprovalVerdict } from "../../approvals/claim-approval.ts";
import type { PlanRow } from "../../plans/schema.ts";
import type { RunHold } from "./size-hold.ts";

/** A request to start a run. */
export interface RunAttempt {
  tenantId: string;
  invocationId: string;
  agent: { id: string; name: string; version: number; subscriptionId: string | null };
  sessionId: string;
  /** Who asks, as `TenantActor.author`; a decision on a paused run doesn't change it. */
  caller: string;
  /** Null: production. */
  source: DeclaredSource | null;
  /** Models that the run may call, including those of its sub-agents. */
  candidates: readonly { provider: string; model: string }[];
  /** True if a model without a tariff leads to a refusal. */
  needsTariffs?: boolean;
  /** Key given by the caller; unique on the whole platform. */
  idempotency: { key: string; bodyHash: string } | undefined;
  runToken: RunToken | undefined;
  /** Set when a paused run is resumed, which needs a new admission. */
  resumed?: ResumedRun;
  /** Id of the process that will perform the run. */
  owner: string;
  now: Date;
  timeoutMs: number;
}

/** Digest of a run's token, and what is stored with it. */
export interface RunToken {
  hash: string;
  reach: Record<string, unknown>;
  /** Sealed: the request of a durable run. */
  request: string | null;
}

/** A paused run and the decision on it. */
export interface ResumedRun {
  verdict: ApprovalVerdict;
  /** Tokens used before the pause, which are part of the run's limit. */
  usedTokens: number;
  /** Id of the separate row for a refusal; the run keeps waiting. */
  rejectionId: string;
}

/** Plans whose limits apply to a run. */
export interface RunPlans {
  tenant: PlanRow;
  /** Plan of the agent's subscription. */
  subscription: PlanRow | undefined;
}

/** A run that may begin: its row is stored and its hold is counted. */
export interface Admitted {
  hold: RunHold;
  plans: RunPlans;
}

/** Result of an attempt. */
export type AdmissionVerdict =
  | { kind: "admitted"; run: Admitted }
  /** Also stored; thrown to the caller after the commit. */
  | { kind: "rejected"; refusal: AppError }
  /** The key was used for an earlier run. */
  | { kind: "replay"; invocationId: string };
