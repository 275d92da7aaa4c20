import type { AwaitingApproval, AwaitingToolResult } from "../../../contracts/daemon/runs/awaited-run.ts";
import type { PausedRun } from "../../../engine/approvals/paused-run.ts";
import type { PendingCall } from "../../../engine/run-state/interceptor.ts";
import type { EngineRequest } from "../../../engine/run-state/run-request.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { Storage } from "../../../storage/storage.ts";
import { type ApprovalVault, createApprovalVault } from "./approval-vault.ts";
import { keptRequest } from "./kept-request.ts";
import type { ApprovalRow, ApprovalTables } from "./schema.ts";
import type { NewApproval } from "./store.ts";

/** Time limit for a person's decision, and for a caller's tool result if the tool sets no limit. */
const waitMsMax = 24 * 60 * 60 * 1000;

/** Storage of paused runs, and the runs that this process is resuming. */
export interface PausedRuns {
  storage: Storage<ApprovalTables>;
  vault: ApprovalVault;
  clock: Clock;
  newId: NewId;
  /** Id of this process. */
  owner: string;
  /** Runs being resumed by this process, by approval id. The promises never reject. */
  resuming: Map<string, Promise<void>>;
  /** Called when a run that this process resumed has ended. */
  endListeners: Set<() => void>;
}

export function openPausedRuns(parts: {
  storage: Storage<ApprovalTables>;
  sealer: Sealer;
  clock: Clock;
  newId: NewId;
}): PausedRuns {
  const { storage, sealer, clock, newId } = parts;
  const vault = createApprovalVault(sealer);
  return { storage, vault, clock, newId, owner: newId(), resuming: new Map(), endListeners: new Set() };
}

/** Creates the row for a run that has paused. */
export function newApproval(
  { vault, clock, newId }: PausedRuns,
  { agent, fingerprint }: { agent: string; fingerprint: string },
  request: EngineRequest,
  run: PausedRun,
): NewApproval {
  const { tenant, sessionId } = request;
  const key = { tenant, id: newId() };
  const createdAt = clock.now();
  const { awaits, waitMs = waitMsMax } = run.pending;
  return {
    id: key.id,
    kind: awaits === "result" ? "tool_call" : "approval",
    agent,
    sessionId,
    fingerprint,
    asked: vault.seal("asked", run.pending, key),
    run: vault.seal("run", { request: keptRequest(request), run }, key),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + waitMs),
  };
}

/** Logs that a run is waiting. */
export function logWaiting(log: Logger, { id, agent, kind }: NewApproval, { tool }: PendingCall): void {
  if (kind === "approval") log.info("approval.requested", { agent, tool, approval_id: id });
  else log.info("tool_call.requested", { agent, tool, call_id: id });
}

/** Details of a waiting run, as responses contain them. */
export type AwaitedRun = AwaitingApproval | AwaitingToolResult;

/** Creates the error that ends a waiting run on surfaces with no other way to report it; `facts` is an `Awaited`. */
export function awaiting(row: Omit<NewApproval, "run">, { tool, input, question }: PendingCall): AppError {
  const { id, kind, agent, sessionId, expiresAt } = row;
  const about = { session_id: sessionId, agent, tool };
  const until = expiresAt.toISOString();
  if (kind === "approval") {
    const facts: AwaitingApproval = {
      status: "awaiting_approval",
      approval_id: id,
      ...about,
      expires_at: until,
      ...(question !== undefined && { question }),
    };
    const message =
      question === undefined
        ? `Agent ${agent} waits for a person to approve a call of ${tool}.`
        : `The server of ${tool} asks a person before agent ${agent} can go on: ${question.message}`;
    const hint = `Decide with POST /v1/approvals/${id}/approve or /reject until ${until}.`;
    return new AppError("conflict", "approval_required", message, { details: { hint, facts: { ...facts } } });
  }
  const facts: AwaitingToolResult = {
    status: "awaiting_tool_result",
    call_id: id,
    ...about,
    input,
    expires_at: until,
  };
  const message = `Agent ${agent} waits for its caller to carry out a call of ${tool}.`;
  const hint = `Carry it out and POST {"output": …} or {"error": "…"} to /v1/tool-calls/${id}/result, until ${until}.`;
  return new AppError("conflict", "tool_result_required", message, {
    details: { hint, facts: { ...facts } },
  });
}

/** Returns the error of `awaiting` for a stored run; undefined if it can't go on any more. */
export function awaitingOf({ vault }: PausedRuns, row: ApprovalRow): AppError | undefined {
  const pending = vault.open("asked", row);
  if (pending === undefined || row.endedAt !== null || row.status === "expired") return undefined;
  return awaiting(row, pending);
}

/** Returns the details of a paused run from its error; undefined for any other error. */
export function awaitedIn({ details: { facts } }: AppError): AwaitedRun | undefined {
  return facts?.status === "awaiting_approval" || facts?.status === "awaiting_tool_result"
    ? (facts as unknown as AwaitedRun)
    : undefined;
}
