import { and, asc, eq, gt, isNotNull, isNull, or, sql } from "drizzle-orm";
import { runToEnd } from "../../../../control-plane/runs/follow-run.ts";
import { pushedFrames } from "../../../../control-plane/runs/runtime-frames.ts";
import { AppError, toAppError } from "../../../../kit/app-error.ts";
import {
  type Begun,
  beginWork,
  endWork,
  interruptedRepeatedly,
  interruptionsMax,
} from "../../../../storage/begun-work.ts";
import type { LiveAgent } from "../../agents/find-live-agent.ts";
import type { ReadyAgent, Registrations } from "../../agents/registrations.ts";
import { readConnections } from "../../connections/read-connections.ts";
import { basePlan, subscriptionPlan } from "../../plans/plan-in-force.ts";
import { tenantOwner } from "../../tenants/tenant-owner.ts";
import type { Admitted } from "../admission/admission.ts";
import { newRunToken } from "../admission/begin-run.ts";
import { heldUntil } from "../admission/record-invocation.ts";
import { runLimits } from "../admission/run-limits.ts";
import type { TenantRunDeps } from "../deps.ts";
import { type BegunRun, performRun } from "../perform-run.ts";
import { sameAgent } from "../same-agent.ts";
import type { InvocationRow } from "../schema.ts";
import { settleInvocation } from "../settlement/settle-invocation.ts";
import { openAsked } from "./asked-run.ts";
import { isContinuable, isLeftAlone } from "./continuable.ts";
import { handOver } from "./hand-over.ts";

/** Runs that one process continues at a time. */
const continuedMax = 16;

/** Runs that are looked at in a round. */
const lookedAt = 100;

/** A durable run that its process has left. */
interface LeftRun {
  tenantId: string;
  invocationId: string;
  /** The dead process; null if it gave the run up. */
  owner: string | null;
  /** True if it was interrupted while a process continued it. Such runs are continued one by one, so that the others outlive its process. */
  isSuspect: boolean;
}

/** A run that this process has claimed. */
interface ClaimedRun {
  row: InvocationRow;
  admitted: Admitted;
}

/** Begins to continue the durable runs of dead processes, as many as this process has places for. Does not wait for their ends. */
export async function continueRuns(deps: TenantRunDeps, registrations: Registrations): Promise<void> {
  const { durable, stopping, log, outlives } = deps;
  if (stopping.aborted || !deps.settings.durable) return;
  if (durable.continued.size >= continuedMax) return;
  for (const run of await leftRuns(deps)) {
    if (durable.continued.size >= continuedMax) return;
    const isBusy = run.isSuspect && [...durable.continued.values()].includes(true);
    if (isBusy || durable.continued.has(run.invocationId)) continue;
    durable.continued.set(run.invocationId, run.isSuspect);
    const going = continueRun(deps, registrations, run)
      .catch((err) => log.error("run.not_continued", { invocation_id: run.invocationId, err }))
      .finally(() => durable.continued.delete(run.invocationId));
    outlives(going);
  }
}

async function leftRuns({ storage, clock, life }: TenantRunDeps): Promise<LeftRun[]> {
  const { read, tables } = storage;
  const { invocations, begunWork } = tables;
  const rows = await read
    .select({
      tenantId: invocations.tenantId,
      invocationId: invocations.id,
      owner: invocations.owner,
      begun: begunWork.key,
    })
    .from(invocations)
    .leftJoin(
      begunWork,
      and(
        eq(begunWork.kind, "run"),
        eq(begunWork.key, invocations.id),
        or(gt(begunWork.interruptions, 0), isNotNull(begunWork.owner)),
      ),
    )
    .where(
      and(
        sql`${invocations.status} = 'in_progress'`,
        isLeftAlone(storage, life),
        isContinuable(storage, clock.now()),
      ),
    )
    .orderBy(asc(invocations.admittedAt), asc(invocations.id))
    .limit(lookedAt);
  return rows.map(({ begun, ...run }) => ({ ...run, isSuspect: begun !== null }));
}

/** Continues one run to its end, unless another process was first. */
async function continueRun(deps: TenantRunDeps, registrations: Registrations, left: LeftRun): Promise<void> {
  const { storage, metrics, log, owner } = deps;
  const claimed = await claim(deps, left);
  if (claimed === undefined) return;
  const key = { kind: "run", key: left.invocationId } as const;
  metrics.admission({ kind: "admitted" });
  try {
    // The death that made the run due counts as well.
    if (left.owner !== null) await beginWork(storage, key, left.owner);
    const begun = await beginWork(storage, key, owner);
    const run = await preparedRun(deps, registrations, claimed, begun).catch(async (thrown) => {
      metrics.runEnded("interrupted", 0);
      await handOver(deps, left);
      throw thrown;
    });
    if (run === undefined) return;
    log.info("run.continued", { invocation_id: left.invocationId });
    metrics.runContinued();
    await runToEnd(performRun(deps, run));
  } finally {
    await endWork(storage, key.kind, [key.key], { stopped: deps.stopping.aborted });
  }
}

/** The claimed run, ready to be performed. If it can't continue, ends it and returns undefined. */
async function preparedRun(
  deps: TenantRunDeps,
  registrations: Registrations,
  { row, admitted }: ClaimedRun,
  begun: Begun,
): Promise<BegunRun | undefined> {
  if (begun === "parked") return endAs(deps, row, "interrupted", interruptedTooOften());
  const agent = await sameAgent(deps, row, "interrupted");
  if (agent instanceof AppError) return endAs(deps, row, "error", agent);
  const ready = await readyOrFault(registrations, agent);
  if (ready instanceof AppError) return endAs(deps, row, "error", ready);
  const { token, hash } = newRunToken();
  const asked = await renewToken(deps, row, hash);
  const { tenantId, id: invocationId, sessionId } = row;
  const frames = async function* () {
    const told = {
      ...asked,
      run_id: invocationId,
      checksum: agent.checksum,
      session_id: sessionId,
      stream: false,
      durable: "continue" as const,
      owner: await tenantOwner(deps, tenantId),
      connections: await readConnections(deps, tenantId),
      run_token: token,
      limits: runLimits(admitted, deps.settings),
    };
    yield* pushedFrames(
      () => deps.runtime.run(ready.runtimeName, told),
      () => registrations.pushAgain(agent),
    );
  };
  // Without a key of its caller, no answer is stored.
  const isKeyed = true;
  const run = { tenantId, invocationId, sessionId, admitted, isKeyed, isStreamed: false, isDurable: true };
  return { ...run, frames, cancelledBy: [] };
}

/** The agent in the runtime, or the reason why it can't run. A runtime that can't be reached is asked again later. */
async function readyOrFault(registrations: Registrations, agent: LiveAgent): Promise<ReadyAgent | AppError> {
  try {
    return await registrations.ready(agent);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "agent_not_loaded") return error;
    throw thrown;
  }
}

/** Makes this process the run's own; undefined if another one was first. From now on the process before can't end the run. */
async function claim(
  deps: TenantRunDeps,
  { tenantId, invocationId, owner }: LeftRun,
): Promise<ClaimedRun | undefined> {
  const { storage, clock, settings } = deps;
  const { tables } = storage;
  const { invocations } = tables;
  const now = clock.now();
  return storage.transact(
    async (tx) => {
      const [row] = await tx
        .update(invocations)
        .set({ owner: deps.owner, heldUntil: heldUntil(now, settings.runTimeoutMs) })
        .where(
          and(
            eq(invocations.tenantId, tenantId),
            eq(invocations.id, invocationId),
            sql`${invocations.status} = 'in_progress'`,
            owner === null ? isNull(invocations.owner) : eq(invocations.owner, owner),
          ),
        )
        .returning();
      if (row === undefined) return undefined;
      const { subscriptionId, admittedAt } = row;
      const plans = {
        tenant: await basePlan(tx, tables, tenantId, admittedAt),
        subscription:
          subscriptionId === null
            ? undefined
            : await subscriptionPlan(tx, tables, { tenantId, subscriptionId, at: admittedAt }),
      };
      const hold = { micros: row.heldMicros, grantMicros: row.heldGrantMicros, tokens: row.heldTokens };
      return { row, admitted: { hold, plans } };
    },
    { isolation: "read committed" },
  );
}

/** Replaces the run's token, whose clear text died with the process before, and returns what its caller asked. */
async function renewToken(deps: TenantRunDeps, { tenantId, id: invocationId }: InvocationRow, hash: string) {
  const { storage, clock, settings } = deps;
  const { runTokens } = storage.tables;
  const expiresAt = heldUntil(clock.now(), settings.runTimeoutMs);
  const [kept] = await storage.transact(
    (tx) =>
      tx
        .update(runTokens)
        .set({ hash, expiresAt })
        .where(and(eq(runTokens.tenantId, tenantId), eq(runTokens.invocationId, invocationId)))
        .returning({ request: runTokens.request }),
    { isolation: "read committed" },
  );
  if (kept?.request == null) throw new Error("The request of a durable run is gone.");
  return openAsked(deps, { tenantId, invocationId }, kept.request);
}

const interruptedTooOften = () =>
  new AppError(
    "unavailable",
    interruptedRepeatedly,
    `The run was interrupted ${interruptionsMax} times and does not continue; it is not charged.`,
  );

/** Ends a run that does not continue, without a charge. */
async function endAs(
  deps: TenantRunDeps,
  { tenantId, id: invocationId }: InvocationRow,
  status: "error" | "interrupted",
  { code, message }: AppError,
): Promise<undefined> {
  const ending = { status, errorCode: code, message, usage: [], durationMs: 0, isCharged: false };
  await settleInvocation(
    deps.storage,
    { tenantId, invocationId, owner: deps.owner },
    ending,
    deps.clock.now(),
  );
  deps.durable.forget({ tenantId, invocationId });
  deps.metrics.runEnded(status, 0);
  return undefined;
}
