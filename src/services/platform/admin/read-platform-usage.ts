import type { AdminUsage, UnpricedModel } from "../../../contracts/platform/admin.ts";
import { listedModelsMax } from "../../../contracts/platform/observability.ts";
import { firstOf } from "../../../kit/ranking.ts";
import { exactSum } from "../billing/period-charges.ts";
import { readRevenue } from "../billing/read-revenue.ts";
import type { StoreDeps } from "../tables.ts";
import { ConsumptionSum, sumOf } from "../usage/consumption.ts";
import { invocationSums } from "../usage/sum-invocations.ts";
import { type ModelSum, modelSums, unpricedModelSums } from "../usage/sum-models.ts";

/** Returns a month's usage, costs and bills over all tenants, the tenants with the most usage, and the models without a tariff. */
export async function readPlatformUsage({ storage, clock }: StoreDeps, period: string): Promise<AdminUsage> {
  const { read, tables } = storage;
  const { tenants } = tables;
  const scope = { month: period };
  const month = new ConsumptionSum();
  const ofTenant = new Map<string, ConsumptionSum>();
  for (const sum of await invocationSums(read, tables, scope)) {
    month.add(sum);
    sumOf(ofTenant, sum.tenantId).add(sum);
  }
  for (const sum of await modelSums(read, tables, scope)) month.addModel(sum);
  const unpriced = new Map<string, UnpricedModel>();
  for await (const sum of unpricedModelSums(storage, period)) addUnpriced(unpriced, sum);
  const revenue = await readRevenue(read, tables, { first: period, last: period }, clock.now());
  const known = await read
    .select({ id: tenants.id, displayName: tenants.displayName, deletedAt: tenants.deletedAt })
    .from(tenants);
  return {
    period,
    month: month.costedConsumption(exactSum([...revenue.values()])),
    tenants: known
      .filter(({ id }) => ofTenant.has(id) || revenue.has(id))
      .map(({ id, displayName, deletedAt }) => ({
        tenant_id: id,
        display_name: displayName,
        status: deletedAt === null ? ("active" as const) : ("deleted" as const),
        month: sumOf(ofTenant, id).costedSums(revenue.get(id) ?? 0),
      }))
      .sort(
        (a, b) =>
          b.month.credits_charged_micros - a.month.credits_charged_micros ||
          (a.tenant_id < b.tenant_id ? 1 : -1),
      ),
    unpriced_models: firstOf(
      unpriced.values(),
      listedModelsMax,
      (a, b) => b.tokens_in + b.tokens_out - a.tokens_in - a.tokens_out,
    ),
  };
}

function addUnpriced(unpriced: Map<string, UnpricedModel>, sum: ModelSum): void {
  const { provider, model } = sum;
  const key = JSON.stringify([provider, model]);
  const known = unpriced.get(key);
  unpriced.set(key, {
    provider,
    model,
    invocations: (known?.invocations ?? 0) + sum.invocations,
    tokens_in: (known?.tokens_in ?? 0) + sum.tokensIn,
    tokens_out: (known?.tokens_out ?? 0) + sum.tokensOut,
  });
}
