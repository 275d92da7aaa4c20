import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { canonicalProvider } from "../../../../engine/models/providers/registry.ts";
import { othersTurn } from "../../../../kit/concurrency/others-turn.ts";
import { claimable, statement } from "../../../../storage/statement.ts";
import type { Query, ReadQuery, Storage } from "../../../../storage/storage.ts";
import type { PlatformTables } from "../../tables.ts";
import { type PricedUsage, priceRun, type RunPrice } from "../../tariffs/price-run.ts";
import { ratesInForce } from "../../tariffs/rates-in-force.ts";
import type { InvocationRow } from "../schema.ts";
import { usageOf } from "./merge-usage.ts";

/** One model's part of a run. */
export interface RunPart {
  provider: string;
  model: string;
  invocations: number;
  uses: number;
  tokensIn: number;
  tokensOut: number;
  tokensCached: number;
  chargedMicros: number;
  providerCostMicros: number;
  unknownCosts: number;
  unknownUses: number;
}

/**
 * Splits an ended run by model. The parts add up to the run's charge, known cost and tokens; the largest gets the remainders, counts the
 * run, and bears an unknown cost that no model has. A run without a model call is one part without names.
 */
export function partsOf(
  run: Pick<InvocationRow, "chargedMicros" | "providerCostMicros" | "costUnknown">,
  { byModel, creditsMicros }: Pick<RunPrice, "byModel" | "creditsMicros">,
): RunPart[] {
  const parts = new Map<string, RunPart & { weight: number }>();
  for (const line of byModel) {
    const provider = canonicalProvider(line.provider);
    const key = JSON.stringify([provider, line.model]);
    const part = parts.get(key) ?? { ...emptyPart, provider, model: line.model, uses: 1, weight: 0 };
    parts.set(key, part);
    part.weight += line.creditsMicros;
    part.tokensIn += line.tokens_in;
    part.tokensOut += line.tokens_out;
    part.tokensCached += line.tokens_cached;
    part.chargedMicros += shareOf(run.chargedMicros, line, creditsMicros);
    part.providerCostMicros += line.providerCostMicros ?? 0;
    if (run.costUnknown && line.providerCostMicros === null) part.unknownUses = 1;
  }
  const split = [...parts.values()];
  const largest = split.reduce(
    (most, part) => (part.weight > most.weight ? part : most),
    split[0] ?? { ...emptyPart, weight: 0 },
  );
  if (split.length === 0) split.push(largest);
  largest.invocations = 1;
  largest.chargedMicros += run.chargedMicros - sumOf(split, "chargedMicros");
  largest.providerCostMicros += run.providerCostMicros - sumOf(split, "providerCostMicros");
  largest.unknownCosts = run.costUnknown ? 1 : 0;
  if (run.costUnknown && sumOf(split, "unknownUses") === 0) largest.unknownUses = 1;
  return split.map(({ weight: _, ...part }) => part);
}

const emptyPart: RunPart = {
  provider: "",
  model: "",
  invocations: 0,
  uses: 0,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  chargedMicros: 0,
  providerCostMicros: 0,
  unknownCosts: 0,
  unknownUses: 0,
};

/** A line's share of the charge, rounded down; its own price if the price was charged in full. */
const shareOf = (chargedMicros: number, { creditsMicros }: PricedUsage, wholeMicros: number): number =>
  wholeMicros === 0 ? 0 : Number((BigInt(chargedMicros) * BigInt(creditsMicros)) / BigInt(wholeMicros));

const sumOf = (parts: readonly RunPart[], name: Exclude<keyof RunPart, "provider" | "model">): number =>
  parts.reduce((sum, part) => sum + part[name], 0);

/** Adds an ended run to `attributed_usage`. Call it after the counters have been locked. */
export async function addParts(
  tx: Query,
  tables: PlatformTables,
  run: InvocationRow,
  price: RunPrice,
  sign: 1 | -1 = 1,
): Promise<void> {
  const { tenantId, month, caller } = run;
  // In the same order everywhere, to avoid deadlocks.
  const parts = partsOf(run, price).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  for (const { provider, model, ...sums } of parts) {
    const signed = Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, sign * value]));
    await addition(tx, tables).execute({ tenantId, month, caller: caller ?? "", provider, model, ...signed });
  }
}

const keyOf = ({ provider, model }: RunPart) => JSON.stringify([provider, model]);

/** Replaces the parts of a run whose price has changed. */
export async function moveParts(
  tx: Query,
  tables: PlatformTables,
  before: InvocationRow,
  after: InvocationRow,
  price: RunPrice,
): Promise<void> {
  if (!before.attributed) return;
  await addParts(tx, tables, before, await priceOf(tx, tables, before), -1);
  await addParts(tx, tables, after, price);
}

/** Returns the price of an ended run by the tariffs that were stored when it was priced. */
export async function priceOf(
  query: Query | ReadQuery,
  tables: PlatformTables,
  run: InvocationRow,
): Promise<RunPrice> {
  const usage = usageOf(run);
  const ratedAt = run.ratedAt ?? run.endedAt ?? undefined;
  return priceRun(usage, await ratesInForce(query, tables, usage, run.admittedAt, ratedAt), 0);
}

const addition = statement((tx: Query, { attributedUsage: sums }: PlatformTables) => {
  const { placeholder } = sql;
  return tx
    .insert(sums)
    .values({
      tenantId: placeholder("tenantId"),
      month: placeholder("month"),
      caller: placeholder("caller"),
      provider: placeholder("provider"),
      model: placeholder("model"),
      invocations: placeholder("invocations"),
      uses: placeholder("uses"),
      tokensIn: placeholder("tokensIn"),
      tokensOut: placeholder("tokensOut"),
      tokensCached: placeholder("tokensCached"),
      chargedMicros: placeholder("chargedMicros"),
      providerCostMicros: placeholder("providerCostMicros"),
      unknownCosts: placeholder("unknownCosts"),
      unknownUses: placeholder("unknownUses"),
    })
    .onConflictDoUpdate({
      target: [sums.tenantId, sums.month, sums.caller, sums.provider, sums.model],
      set: {
        invocations: sql`${sums.invocations} + excluded.invocations`,
        uses: sql`${sums.uses} + excluded.uses`,
        tokensIn: sql`${sums.tokensIn} + excluded.tokens_in`,
        tokensOut: sql`${sums.tokensOut} + excluded.tokens_out`,
        tokensCached: sql`${sums.tokensCached} + excluded.tokens_cached`,
        chargedMicros: sql`${sums.chargedMicros} + excluded.charged_micros`,
        providerCostMicros: sql`${sums.providerCostMicros} + excluded.provider_cost_micros`,
        unknownCosts: sql`${sums.unknownCosts} + excluded.unknown_costs`,
        unknownUses: sql`${sums.unknownUses} + excluded.unknown_uses`,
      },
    })
    .prepare("platform_add_attributed_usage");
});

/** Condition for ended runs of earlier versions that `attributed_usage` doesn't contain. */
export const isUnattributed = ({ invocations }: PlatformTables) =>
  and(
    sql`not ${invocations.attributed}`,
    sql`${invocations.status} not in ('in_progress', 'awaiting_approval')`,
  );

/** Runs that are added in one transaction. */
const togetherMax = 100;

/**
 * Adds ended runs of earlier versions to `attributed_usage`, and marks those whose cost nobody knew, which was stored as zero. Returns the
 * number of runs.
 */
export async function attributeOldRuns(
  storage: Storage<PlatformTables>,
  signal?: AbortSignal,
): Promise<number> {
  const { tables } = storage;
  const { invocations } = tables;
  const { tenantId, id } = invocations;
  for (let count = 0; ; ) {
    const added = await storage.transact(
      async (tx) => {
        const due = tx
          .$with("due")
          .as(
            claimable(
              invocations,
              tx
                .select({ tenantId, id })
                .from(invocations)
                .where(isUnattributed(tables))
                .orderBy(asc(id))
                .limit(togetherMax),
            ),
          );
        const rows = await tx
          .with(due)
          .update(invocations)
          .set({ attributed: true })
          .where(sql`(${tenantId}, ${id}) in (select tenant_id, id from ${due})`)
          .returning();
        for (const row of rows) await attributeOldRun(tx, tables, row);
        return rows.length;
      },
      { isolation: "read committed" },
    );
    count += added;
    if (added < togetherMax || signal?.aborted) return count;
    await othersTurn();
  }
}

async function attributeOldRun(tx: Query, tables: PlatformTables, run: InvocationRow): Promise<void> {
  if (run.status === "rejected") return;
  const { invocations } = tables;
  const price = await priceOf(tx, tables, run);
  const costUnknown = run.costUnknown || (price.costUnknown && run.providerCostMicros === 0);
  if (costUnknown !== run.costUnknown)
    await tx
      .update(invocations)
      .set({ costUnknown })
      .where(and(eq(invocations.tenantId, run.tenantId), inArray(invocations.id, [run.id])));
  await addParts(tx, tables, { ...run, costUnknown }, price);
}
