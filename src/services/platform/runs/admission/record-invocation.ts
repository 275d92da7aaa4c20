import { and, eq, gte, isNull, sql } from "drizzle-orm";
import type { InvocationStatus } from "../../../../contracts/platform/observability.ts";
import type { AppError } from "../../../../kit/app-error.ts";
import { monthOf } from "../../../../kit/utc-calendar.ts";
import { boundRow, statement } from "../../../../storage/statement.ts";
import type { Query } from "../../../../storage/storage.ts";
import type { PlatformTables } from "../../tables.ts";
import type { InvocationRow } from "../schema.ts";
import type { RunAttempt } from "./admission.ts";
import type { RunHold } from "./size-hold.ts";

/** Grace period after a run's time limit. After it, the run's process counts as dead. */
const graceMs = 60_000;

/** End of the lease on a run that begins or continues now. */
export const heldUntil = (now: Date, timeoutMs: number): Date =>
  new Date(now.getTime() + timeoutMs + graceMs);

/** Inserts the row of a run that begins. */
export async function insertInvocation(
  tx: Query,
  tables: PlatformTables,
  attempt: RunAttempt,
  terms: RunTerms,
): Promise<void> {
  await insertion(tx, tables).execute({ ...rowOf(attempt, "in_progress"), ...underWay(attempt, terms) });
}

/** Terms of a run's admission. */
export interface RunTerms {
  hold: RunHold;
  month: string;
  planId: string;
}

/** Updates the row of a run that resumes. Returns false if it is no longer waiting. */
export async function resumeInvocation(
  tx: Query,
  { invocations }: PlatformTables,
  attempt: RunAttempt,
  terms: RunTerms,
): Promise<boolean> {
  const { tenantId, invocationId, now } = attempt;
  const resumed = await tx
    .update(invocations)
    .set({ status: "in_progress", admittedAt: now, endedAt: null, ...underWay(attempt, terms) })
    .where(
      and(
        eq(invocations.tenantId, tenantId),
        eq(invocations.id, invocationId),
        eq(invocations.status, "awaiting_approval"),
      ),
    )
    .returning({ id: invocations.id });
  return resumed.length > 0;
}

const underWay = ({ now, timeoutMs, owner }: RunAttempt, { hold, month, planId }: RunTerms) => ({
  month,
  planId,
  heldMicros: hold.micros,
  heldGrantMicros: hold.grantMicros,
  heldTokens: hold.tokens,
  owner,
  heldUntil: heldUntil(now, timeoutMs),
});

const insertion = statement((tx: Query, { invocations }: PlatformTables) =>
  tx.insert(invocations).values(boundRow(invocations)).prepare("platform_insert_invocation"),
);

/** Stores a refused attempt. Equal attempts within one second share a row. */
export async function recordRejection(
  tx: Query,
  { invocations }: PlatformTables,
  attempt: RunAttempt,
  { code, message }: AppError,
): Promise<void> {
  const { tenantId, agent, now, source } = attempt;
  const second = new Date(Math.floor(now.getTime() / 1000) * 1000);
  const [alike] = await tx
    .update(invocations)
    .set({ count: sql`${invocations.count} + 1` })
    .where(
      and(
        eq(invocations.tenantId, tenantId),
        eq(invocations.agentId, agent.id),
        eq(invocations.status, "rejected"),
        eq(invocations.errorCode, code),
        source === null ? isNull(invocations.source) : eq(invocations.source, source),
        gte(invocations.admittedAt, second),
      ),
    )
    .returning({ id: invocations.id });
  if (alike !== undefined) return;
  await tx
    .insert(invocations)
    .values({ ...rowOf(attempt, "rejected"), errorCode: code, message, endedAt: now });
}

function rowOf(
  { tenantId, invocationId, agent, sessionId, caller, source, now }: RunAttempt,
  status: InvocationStatus,
): InvocationRow {
  return {
    tenantId,
    id: invocationId,
    agentId: agent.id,
    agentName: agent.name,
    agentVersion: agent.version,
    subscriptionId: agent.subscriptionId,
    status,
    sessionId,
    errorCode: null,
    message: null,
    count: 1,
    admittedAt: now,
    endedAt: null,
    month: monthOf(now),
    planId: null,
    heldMicros: 0,
    heldTokens: 0,
    heldGrantMicros: 0,
    chargedMicros: 0,
    overrunMicros: 0,
    providerCostMicros: 0,
    costUnknown: false,
    infraCostMicros: 0,
    unchargedCostMicros: 0,
    pricingStatus: null,
    ratedAt: null,
    usageEstimated: false,
    tokensIn: 0,
    tokensOut: 0,
    byModel: [],
    engineCosts: null,
    owner: null,
    heldUntil: null,
    traceId: null,
    caller,
    source,
    attributed: status === "rejected",
  };
}
