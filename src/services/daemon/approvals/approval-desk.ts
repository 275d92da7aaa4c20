import type { AwaitingApproval } from "../../../contracts/daemon/awaiting-approval.ts";
import type { PausedRun } from "../../../engine/approvals/paused-run.ts";
import type { RunRequest } from "../../../engine/run/run-request.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Sealer } from "../../../storage/seal.ts";
import type { Storage } from "../../../storage/storage.ts";
import { type ApprovalVault, createApprovalVault } from "./approval-vault.ts";
import type { ApprovalTables } from "./schema.ts";
import type { NewApproval } from "./store.ts";

/** How long a person may take. */
const waitMs = 24 * 60 * 60 * 1000;

/** Where paused runs are kept, and which of them go on in this process. */
export interface ApprovalDesk {
  storage: Storage<ApprovalTables>;
  vault: ApprovalVault;
  clock: Clock;
  newId: NewId;
  /** This process. */
  owner: string;
  /** The runs that go on here, by the approval's id; a promise never rejects. */
  goingOn: Map<string, Promise<void>>;
}

export function openApprovalDesk(parts: {
  storage: Storage<ApprovalTables>;
  sealer: Sealer;
  clock: Clock;
  newId: NewId;
}): ApprovalDesk {
  const { storage, sealer, clock, newId } = parts;
  return { storage, vault: createApprovalVault(sealer), clock, newId, owner: newId(), goingOn: new Map() };
}

/** A row for a run that has paused. */
export function newApproval(
  { vault, clock, newId }: ApprovalDesk,
  { agent, fingerprint }: { agent: string; fingerprint: string },
  request: RunRequest,
  run: PausedRun,
): NewApproval {
  const { tenant, sessionId, query, context, history, limits, parameters } = request;
  const key = { tenant, id: newId() };
  const kept = {
    sessionId,
    query,
    context,
    ...(history === undefined ? {} : { history }),
    ...(limits === undefined ? {} : { limits }),
    ...(parameters === undefined ? {} : { parameters }),
  };
  const createdAt = clock.now();
  return {
    id: key.id,
    agent,
    sessionId,
    fingerprint,
    asked: vault.seal("asked", run.pending, key),
    run: vault.seal("run", { request: kept, run }, key),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + waitMs),
  };
}

/** How a run ends that waits for a person, for every surface that can't say it otherwise; `facts` are an `AwaitingApproval`. */
export function awaitingApproval({ id, agent, sessionId, expiresAt }: NewApproval, tool: string): AppError {
  const facts: AwaitingApproval = {
    status: "awaiting_approval",
    approval_id: id,
    session_id: sessionId,
    agent,
    tool,
    expires_at: expiresAt.toISOString(),
  };
  return new AppError(
    "conflict",
    "approval_required",
    `Agent ${agent} waits for a person to approve a call of ${tool}.`,
    {
      details: {
        hint: `POST /v1/approvals/${id}/approve or /reject lets it go on, until ${facts.expires_at}.`,
        facts: { ...facts },
      },
    },
  );
}

/** What a paused run says of itself; undefined for any other error. */
export function awaitedIn({ code, details }: AppError): AwaitingApproval | undefined {
  return code === "approval_required" && details.facts?.status === "awaiting_approval"
    ? (details.facts as unknown as AwaitingApproval)
    : undefined;
}
