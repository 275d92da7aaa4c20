import { and, eq } from "drizzle-orm";
import type { RuntimeUsage } from "../../../contracts/runtime/runs.ts";
import type { Query, Storage } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { ratesInForce } from "../tariffs/rates-in-force.ts";
import { addToCounter, counterKeys } from "./credit-counters.ts";
import { type KeptAnswer, keepAnswer } from "./idempotency.ts";
import { priceRun, type RunPrice } from "./price-run.ts";
import type { InvocationRow, InvocationStatus } from "./schema.ts";

/** How a run ended. */
export interface RunEnding {
  status: Exclude<InvocationStatus, "in_progress" | "rejected">;
  errorCode?: string;
  message?: string;
  usage: readonly RuntimeUsage[];
  durationMs: number;
  traceId?: string;
  /** Whether what the run used is charged: an answer is, a failure and a cancellation are not. */
  isCharged: boolean;
  /** What the caller's key gives again, made when the charge is known. */
  answer?: (settled: Settled) => KeptAnswer;
}

/** A run that has ended, as it is on record. */
export interface Settled {
  invocation: InvocationRow;
  price: RunPrice;
  /** The higher share of its caps that is used now, in whole percent; undefined: there is no cap. */
  counters: { scope: string; chargedMicros: number; heldMicros: number }[];
}

/**
 * Ends a run that is in progress: its state, its charge and what its hold gives back, in one transaction. The charge is the real
 * price, at most the hold. Undefined when it has ended already: of many endings the first one counts.
 */
export function settleInvocation(
  storage: Storage<PlatformTables>,
  { tenantId, invocationId }: { tenantId: string; invocationId: string },
  ending: RunEnding,
  now: Date,
): Promise<Settled | undefined> {
  const { tables } = storage;
  const { invocations, runTokens } = tables;
  const ofRun = and(eq(invocations.tenantId, tenantId), eq(invocations.id, invocationId));
  return storage.transact(
    async (tx) => {
      const [open] = await tx
        .update(invocations)
        .set({ status: ending.status })
        .where(and(ofRun, eq(invocations.status, "in_progress")))
        .returning();
      if (open === undefined) return undefined;
      const ratesOf = await ratesInForce(tx, tables, ending.usage, open.admittedAt);
      const price = priceRun(ending.usage, ratesOf, ending.durationMs);
      const chargedMicros = ending.isCharged ? Math.min(price.creditsMicros, open.heldMicros) : 0;
      const [invocation] = await tx
        .update(invocations)
        .set({
          ...recordOf(ending, price, now),
          chargedMicros,
          overrunMicros: overrunOf(ending, price, open),
        })
        .where(ofRun)
        .returning();
      if (invocation === undefined) throw new Error("The invocation vanished while it was settled.");
      const counters = await settleCounters(tx, tables, invocation);
      await tx
        .delete(runTokens)
        .where(and(eq(runTokens.tenantId, tenantId), eq(runTokens.invocationId, invocationId)));
      const settled = { invocation, price, counters };
      if (ending.answer) await keepAnswer(tx, tables, invocation, ending.answer(settled), now);
      return settled;
    },
    { isolation: "read committed" },
  );
}

async function settleCounters(
  tx: Query,
  tables: PlatformTables,
  { tenantId, subscriptionId, month, heldMicros, chargedMicros, status, providerCostMicros }: InvocationRow,
): Promise<Settled["counters"]> {
  const counters: Settled["counters"] = [];
  const cancelledCostMicros = status === "cancelled" ? providerCostMicros : 0;
  for (const key of counterKeys(tenantId, subscriptionId, month)) {
    const counter = await addToCounter(tx, tables, key, {
      heldMicros: -heldMicros,
      chargedMicros,
      cancelledCostMicros,
    });
    counters.push({ scope: key.scope, ...counter });
  }
  return counters;
}

function recordOf({ errorCode, message, usage, traceId }: RunEnding, price: RunPrice, now: Date) {
  return {
    errorCode: errorCode ?? null,
    message: message ?? null,
    endedAt: now,
    providerCostMicros: price.providerCostMicros,
    infraCostMicros: price.infraCostMicros,
    pricingStatus: price.pricingStatus,
    usageEstimated: price.usageEstimated,
    tokensIn: usage.reduce((sum, { tokens_in }) => sum + tokens_in, 0),
    tokensOut: usage.reduce((sum, { tokens_out }) => sum + tokens_out, 0),
    byModel: price.byModel.map(({ provider, model, role, tokens_in, tokens_out, tokens_cached }) => ({
      provider,
      model,
      role,
      tokens_in,
      tokens_out,
      tokens: tokens_in + tokens_out,
      tokens_cached,
    })),
    traceId: traceId ?? null,
    owner: null,
    heldUntil: null,
  };
}

/** Credits of a run that was to be charged and cost more than was held: the operator's loss. */
function overrunOf(
  { isCharged }: RunEnding,
  { creditsMicros }: RunPrice,
  { heldMicros }: InvocationRow,
): number {
  return isCharged ? Math.max(0, creditsMicros - heldMicros) : 0;
}
