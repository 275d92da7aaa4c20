import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { InvocationStatus } from "../../../../contracts/platform/observability.ts";
import type { RuntimeApproval, RuntimeUsage } from "../../../../contracts/runtime/runs.ts";
import { equalsBound, statement } from "../../../../storage/statement.ts";
import type { Query, Storage } from "../../../../storage/storage.ts";
import { type AskedApproval, recordApproval } from "../../approvals/record-approval.ts";
import { noticeRun } from "../../notices/run-notices.ts";
import type { PlatformTables } from "../../tables.ts";
import { priceRun, type RunPrice } from "../../tariffs/price-run.ts";
import { ratesInForce } from "../../tariffs/rates-in-force.ts";
import { type KeptAnswer, keepAnswer, keepFailure } from "../idempotency/idempotency-keys.ts";
import type { InvocationRow } from "../schema.ts";
import { addParts } from "./attribute-runs.ts";
import { type ChargedCounter, changeCharge } from "./change-charge.ts";
import { mergeUsage, storedUsage } from "./merge-usage.ts";

/** End of a run. */
export interface RunEnding {
  status: Exclude<InvocationStatus, "in_progress" | "rejected">;
  errorCode?: string;
  message?: string;
  usage: readonly RuntimeUsage[];
  durationMs: number;
  traceId?: string;
  /** True if the usage is charged: an answer, and a fault of the service after something has left. */
  isCharged: boolean;
  /** True if the tenant caused the end, and not a provider or the platform. If uncharged, the run counts towards `cancel_limit`. */
  isTenantsDoing?: boolean;
  /** Call that a paused run waits for. */
  approval?: { id: string; call: RuntimeApproval };
  /** The same call as stored. */
  asked?: AskedApproval;
  /** Creates the answer for the caller's key, when the charge is known. */
  answer?: (settled: Settled) => KeptAnswer;
}

/** An ended run, as recorded. */
export interface Settled {
  invocation: InvocationRow;
  price: RunPrice;
  /** Counters of the run's scopes after the settlement. */
  counters: ChargedCounter[];
}

/**
 * Ends a run that is in progress: stores its state and charge and releases its hold, in one transaction. The charge is the real price, at
 * most the hold. Returns undefined if the run has already ended; only the first ending counts. With `owner`, also if another process
 * continues the run.
 */
export function settleInvocation(
  storage: Storage<PlatformTables>,
  { tenantId, invocationId, owner }: { tenantId: string; invocationId: string; owner?: string | undefined },
  ending: RunEnding,
  now: Date,
): Promise<Settled | undefined> {
  const { tables } = storage;
  const run = { tenantId, invocationId };
  return storage.transact(
    async (tx) => {
      const { status } = ending;
      const [open] =
        owner === undefined
          ? await claiming(tx, tables).execute({ ...run, status })
          : await claimingOwn(tx, tables).execute({ ...run, status, owner });
      if (open === undefined) return undefined;
      // A resumed run has earlier usage.
      const usage = open.byModel.length === 0 ? ending.usage : mergeUsage(open, ending.usage);
      const ratesOf = await ratesInForce(tx, tables, usage, open.admittedAt);
      const price = priceRun(usage, ratesOf, ending.durationMs);
      const charge = {
        chargedMicros: ending.isCharged ? Math.min(price.creditsMicros, open.heldMicros) : 0,
        overrunMicros: overrunOf(ending, price, open),
        unchargedCostMicros: unchargedCostOf(ending, price),
      };
      const facts = { ...recordOf(ending, usage, price, now), ...charge };
      facts.infraCostMicros += open.infraCostMicros;
      await recording(tx, tables).execute({ ...run, ...facts });
      const invocation: InvocationRow = { ...open, ...facts, status: ending.status };
      const counters = await settleCounters(tx, tables, invocation, now);
      if (facts.attributed) await addParts(tx, tables, invocation, price);
      await noticeRun(tx, tables, invocation, counters, now);
      const [token] = await tokenRemoval(tx, tables).execute(run);
      if (ending.asked) {
        await recordApproval(tx, tables, invocation, { ...ending.asked, reach: token?.reach ?? {} }, now);
      }
      const settled = { invocation, price, counters };
      if (ending.answer) await keepAnswer(tx, tables, invocation, ending.answer(settled), now);
      else if (isFailure(ending)) await keepFailure(tx, tables, invocation, now);
      return settled;
    },
    { isolation: "read committed" },
  );
}

const ofRun = ({ invocations }: PlatformTables) =>
  and(
    eq(invocations.tenantId, sql.placeholder("tenantId")),
    eq(invocations.id, sql.placeholder("invocationId")),
  );

/** Returns the row, locked, with only its status changed; no row if the run has ended. */
const claiming = statement((tx: Query, tables: PlatformTables) => {
  const { invocations } = tables;
  return tx
    .update(invocations)
    .set({ status: sql`${sql.placeholder("status")}` })
    .where(and(ofRun(tables), sql`${invocations.status} = 'in_progress'`))
    .returning()
    .prepare("platform_claim_invocation");
});

/** The same, only for the process that performs the run. */
const claimingOwn = statement((tx: Query, tables: PlatformTables) => {
  const { invocations } = tables;
  return tx
    .update(invocations)
    .set({ status: sql`${sql.placeholder("status")}` })
    .where(
      and(ofRun(tables), sql`${invocations.status} = 'in_progress'`, equalsBound(invocations.owner, "owner")),
    )
    .returning()
    .prepare("platform_claim_own_invocation");
});

const recording = statement((tx: Query, tables: PlatformTables) => {
  const { invocations } = tables;
  const columns = getTableColumns(invocations);
  const set = Object.fromEntries(
    recordedColumns.map((name) => [name, sql`${sql.param(sql.placeholder(name), columns[name])}`]),
  );
  return tx.update(invocations).set(set).where(ofRun(tables)).prepare("platform_settle_invocation");
});

const recordedColumns = [
  "errorCode",
  "message",
  "endedAt",
  "chargedMicros",
  "overrunMicros",
  "providerCostMicros",
  "costUnknown",
  "infraCostMicros",
  "unchargedCostMicros",
  "pricingStatus",
  "usageEstimated",
  "tokensIn",
  "tokensOut",
  "byModel",
  "engineCosts",
  "traceId",
  "owner",
  "heldUntil",
  "attributed",
] as const satisfies readonly (keyof InvocationRow)[];

const tokenRemoval = statement((tx: Query, { runTokens }: PlatformTables) =>
  tx
    .delete(runTokens)
    .where(
      and(
        eq(runTokens.tenantId, sql.placeholder("tenantId")),
        eq(runTokens.invocationId, sql.placeholder("invocationId")),
      ),
    )
    .returning({ reach: runTokens.reach })
    .prepare("platform_remove_run_token"),
);

async function settleCounters(
  tx: Query,
  tables: PlatformTables,
  invocation: InvocationRow,
  now: Date,
): Promise<Settled["counters"]> {
  const { heldMicros, heldGrantMicros, chargedMicros, status, unchargedCostMicros } = invocation;
  return changeCharge(tx, tables, invocation, {
    heldMicros: -heldMicros,
    heldGrantMicros: -heldGrantMicros,
    chargedMicros,
    // The cost of a waiting run is read from its row, because it may still be charged.
    cancelledCostMicros: status === "awaiting_approval" ? 0 : unchargedCostMicros,
    now,
  });
}

function recordOf(
  { status, errorCode, message, traceId }: RunEnding,
  usage: readonly RuntimeUsage[],
  price: RunPrice,
  now: Date,
) {
  return {
    errorCode: errorCode ?? null,
    message: message ?? null,
    endedAt: now,
    providerCostMicros: price.providerCostMicros,
    costUnknown: price.costUnknown,
    infraCostMicros: price.infraCostMicros,
    pricingStatus: price.pricingStatus,
    usageEstimated: price.usageEstimated,
    ...storedUsage(usage),
    traceId: traceId ?? null,
    owner: null,
    heldUntil: null,
    // A waiting run ends in another settlement, perhaps of another month.
    attributed: status !== "awaiting_approval",
  };
}

const isFailure = ({ status }: RunEnding) => status !== "ok" && status !== "awaiting_approval";

/** Credits by which a charged run exceeds its hold. The operator bears them. */
function overrunOf(
  { isCharged }: RunEnding,
  { creditsMicros }: RunPrice,
  { heldMicros }: InvocationRow,
): number {
  return isCharged ? Math.max(0, creditsMicros - heldMicros) : 0;
}

/** Amount that counts towards `cancel_limit`. For a paused run, it is the cost so far, because the decision may never come. */
function unchargedCostOf({ status, isCharged, isTenantsDoing }: RunEnding, { lossMicros }: RunPrice): number {
  return status === "awaiting_approval" || (!isCharged && isTenantsDoing === true) ? lossMicros : 0;
}
