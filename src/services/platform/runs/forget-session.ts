import { and, eq, inArray } from "drizzle-orm";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Query } from "../../../storage/storage.ts";
import { listLiveAgents } from "../agents/find-live-agent.ts";
import { type Registrations, runtimeNameOf, tenantRuntimeFailed } from "../agents/registrations.ts";
import type { PlatformStorage, PlatformTables } from "../tables.ts";
import { endWaitingRun } from "./decisions/end-waiting-run.ts";

export interface ForgetSessionDeps {
  storage: PlatformStorage;
  clock: Clock;
  runtime: Pick<RuntimeClient, "forgetSession" | "forgetRuns">;
}

/** Session id of runs whose session was forgotten: what they cost is kept for ever. */
export const forgottenSession = "forgotten";
/** Runs of one transaction. */
const runsAtOnce = 200;

/**
 * Deletes what is kept of a session of a tenant: what each agent remembers, traces, waiting calls and answers for replay. Its runs stay, without the
 * session's id and without messages. Throws 409 `session_in_use` while a run of it goes on. A repeated call finds what is left. Returns the
 * number of runs.
 */
export async function forgetSession(
  deps: ForgetSessionDeps,
  registrations: Registrations,
  tenantId: string,
  sessionId: string,
): Promise<number> {
  const { storage, clock, runtime } = deps;
  const { tables } = storage;
  await storage.transact((tx) => endWaiting(tx, tables, tenantId, sessionId, clock.now()));
  try {
    for (const agent of await listLiveAgents(storage, tenantId)) {
      // Memory may need the agent's own settings. One that can't be loaded any more may have none.
      await registrations.ready(agent).catch((thrown) => {
        if (toAppError(thrown).code !== "agent_not_loaded") throw thrown;
      });
      const name = runtimeNameOf(tenantId, agent.name);
      const session = { tenantId, agentId: agent.id, sessionId };
      await runtime.forgetSession(name, session).catch(async (thrown) => {
        if (toAppError(thrown).code !== "memory_unavailable") throw thrown;
        // The runtime may have lost the agent.
        await registrations.pushAgain(agent);
        await runtime.forgetSession(name, session);
      });
    }
    await runtime.forgetRuns(tenantId, sessionId);
  } catch (thrown) {
    throw toAppError(thrown).kind === "unavailable" ? thrown : tenantRuntimeFailed(thrown);
  }
  let runs = 0;
  for (;;) {
    const done = await storage.transact((tx) => clearRuns(tx, tables, tenantId, sessionId));
    runs += done;
    if (done < runsAtOnce) return runs;
  }
}

/** Ends the session's runs that wait for a decision. */
async function endWaiting(
  tx: Query,
  tables: PlatformTables,
  tenantId: string,
  sessionId: string,
  now: Date,
): Promise<void> {
  const { invocations } = tables;
  const open = await tx
    .select({ id: invocations.id, status: invocations.status })
    .from(invocations)
    .where(
      and(
        eq(invocations.tenantId, tenantId),
        eq(invocations.sessionId, sessionId),
        inArray(invocations.status, ["in_progress", "awaiting_approval"]),
      ),
    );
  if (open.some(({ status }) => status === "in_progress")) {
    throw new AppError(
      "conflict",
      "session_in_use",
      "A run of this session goes on; try again when it ended.",
    );
  }
  for (const { id: invocationId } of open) {
    const failure = { errorCode: "session_forgotten", message: "The session was forgotten." };
    await endWaitingRun(tx, tables, { tenantId, invocationId }, failure, now);
  }
}

async function clearRuns(
  tx: Query,
  { approvals, idempotencyKeys, invocations }: PlatformTables,
  tenantId: string,
  sessionId: string,
): Promise<number> {
  const rows = await tx
    .select({ id: invocations.id })
    .from(invocations)
    .where(and(eq(invocations.tenantId, tenantId), eq(invocations.sessionId, sessionId)))
    .limit(runsAtOnce);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await tx
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.tenantId, tenantId), inArray(idempotencyKeys.invocationId, ids)))
    .returning({ key: idempotencyKeys.key });
  await tx
    .delete(approvals)
    .where(and(eq(approvals.tenantId, tenantId), inArray(approvals.invocationId, ids)))
    .returning({ id: approvals.id });
  await tx
    .update(invocations)
    .set({ sessionId: forgottenSession, message: null })
    .where(and(eq(invocations.tenantId, tenantId), inArray(invocations.id, ids)))
    .returning({ id: invocations.id });
  return ids.length;
}
