import { and, eq } from "drizzle-orm";
import { checkDecision } from "../../../../contracts/daemon/questions/check-answer.ts";
import type { PlatformDecision } from "../../../../contracts/platform/runs/approvals.ts";
import { pushedFrames } from "../../../../control-plane/runs/runtime-frames.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type { Registrations } from "../../agents/registrations.ts";
import {
  type ApprovalVerdict,
  claimApproval,
  getApproval,
  requirePending,
} from "../../approvals/claim-approval.ts";
import { openAsked } from "../../approvals/record-approval.ts";
import type { TenantActor } from "../../auth/credentials.ts";
import { readConnections } from "../../connections/read-connections.ts";
import type { StoreDeps } from "../../tables.ts";
import { tenantOwner } from "../../tenants/tenant-owner.ts";
import type { RunAttempt } from "../admission/admission.ts";
import { newRunToken, recordedAdmission } from "../admission/begin-run.ts";
import { runLimits } from "../admission/run-limits.ts";
import type { TenantRunDeps } from "../deps.ts";
import type { BegunRun } from "../perform-run.ts";
import { sameAgent } from "../same-agent.ts";
import type { InvocationRow } from "../schema.ts";
import { endWaitingRun } from "./end-waiting-run.ts";

/** A decision, and whether the run's tokens are streamed. */
export interface Decision extends PlatformDecision {
  id: string;
  verdict: ApprovalVerdict["verdict"];
  stream: boolean;
}

/**
 * Takes a decision, if it is the first, and returns the resumed run. The run is admitted again under the same invocation, so its usage adds
 * up. If admission is refused, the run keeps waiting. If its agent has changed or was deleted, a rejection ends it.
 */
export async function decideApproval(
  deps: TenantRunDeps,
  registrations: Registrations,
  { tenantId, author }: TenantActor,
  decision: Decision,
): Promise<BegunRun> {
  const { storage, clock } = deps;
  const approval = await getApproval(storage.read, storage.tables, tenantId, decision.id);
  requirePending(approval, clock.now());
  const answered = checkDecision(decision.verdict, decision, openAsked(deps, approval).question);
  const invocation = await waitingRun(deps, tenantId, approval.invocationId);
  const agent = await sameAgent(deps, invocation, "paused");
  if (agent instanceof AppError) {
    const { id: approvalId, verdict, comment } = decision;
    if (verdict === "rejected")
      throw await closeRejected(deps, invocation, { approvalId, verdict, comment, decidedBy: author }, agent);
    throw agent;
  }
  const ready = await registrations.ready(agent);
  const usedTokens = invocation.tokensIn + invocation.tokensOut;
  const { token, hash } = newRunToken();
  const { id: approvalId, verdict, comment, stream } = decision;
  const attempt: RunAttempt = {
    tenantId,
    invocationId: invocation.id,
    agent: {
      id: agent.id,
      name: agent.name,
      version: invocation.agentVersion,
      subscriptionId: invocation.subscriptionId,
    },
    sessionId: invocation.sessionId,
    caller: invocation.caller ?? author,
    source: invocation.source,
    candidates: ready.candidates,
    needsTariffs: !deps.settings.allowUnpriced,
    idempotency: undefined,
    // From here on it does not continue after a crash: the approved call may have been carried out.
    runToken: { hash, reach: approval.reach, request: null },
    resumed: {
      verdict: { approvalId, verdict, comment, decidedBy: author },
      usedTokens,
      rejectionId: deps.newId(),
    },
    owner: deps.owner,
    now: clock.now(),
    timeoutMs: deps.settings.runTimeoutMs,
  };
  const admission = await recordedAdmission(deps, attempt);
  deps.metrics.admission(admission);
  if (admission.kind === "rejected") throw admission.refusal;
  if (admission.kind === "replay") throw new Error("A run that goes on has no key.");
  const frames = async function* () {
    const told = {
      run_id: invocation.id,
      verdict,
      ...(comment === undefined ? {} : { comment }),
      ...answered,
      stream,
      owner: await tenantOwner(deps, tenantId),
      connections: await readConnections(deps, tenantId),
      run_token: token,
      limits: runLimits(admission.run, deps.settings, usedTokens),
    };
    yield* pushedFrames(
      () => deps.runtime.decide(approvalId, told),
      () => registrations.pushAgain(agent),
    );
  };
  return {
    tenantId,
    invocationId: invocation.id,
    sessionId: invocation.sessionId,
    admitted: admission.run,
    isKeyed: true,
    isStreamed: stream,
    isDurable: false,
    frames,
    cancelledBy: [],
  };
}

async function waitingRun(
  { storage: { read, tables } }: StoreDeps,
  tenantId: string,
  id: string,
): Promise<InvocationRow> {
  const { invocations } = tables;
  const [row] = await read
    .select()
    .from(invocations)
    .where(and(eq(invocations.tenantId, tenantId), eq(invocations.id, id)));
  if (row?.status === "awaiting_approval") return row;
  throw new AppError("conflict", "approval_decided", "The run no longer waits for an approval.");
}

/** Stores the rejection of a call whose run can't resume, and ends the run. Returns the run's error. */
async function closeRejected(
  { storage, clock, metrics }: TenantRunDeps,
  { tenantId, id: invocationId }: InvocationRow,
  verdict: ApprovalVerdict,
  { code, message: reason }: AppError,
): Promise<AppError> {
  const { tables } = storage;
  const message = `${reason} The call is rejected, and the run has ended without a charge.`;
  await storage.transact(
    async (tx) => {
      const now = clock.now();
      await claimApproval(tx, tables, tenantId, verdict, now);
      await endWaitingRun(tx, tables, { tenantId, invocationId }, { errorCode: code, message }, now);
    },
    { isolation: "read committed" },
  );
  metrics.runEnded("error", 0);
  return new AppError("conflict", code, message);
}
