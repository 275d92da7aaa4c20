import type { CostedConsumption, CostedSums } from "../../../contracts/platform/admin.ts";
import { type Consumption, listedModelsMax } from "../../../contracts/platform/observability.ts";
import type { ModelUsage } from "../../../contracts/platform/runs/runs.ts";
import { firstOf } from "../../../kit/ranking.ts";
import type { InvocationSum } from "./sum-invocations.ts";
import type { ModelSum } from "./sum-models.ts";

/** Adds up the usage, charges and costs of runs. */
export class ConsumptionSum {
  readonly byStatus = new Map<string, number>();
  lastAt: Date | undefined;
  private readonly totals = {
    invocations: 0,
    tokensIn: 0,
    tokensOut: 0,
    chargedMicros: 0,
    overrunMicros: 0,
    providerCostMicros: 0,
    unknownCosts: 0,
    infraCostMicros: 0,
  };
  private readonly models = new Map<string, ModelUsage>();

  add(sum: InvocationSum): void {
    this.byStatus.set(sum.status, (this.byStatus.get(sum.status) ?? 0) + sum.invocations);
    for (const name of Object.keys(this.totals) as (keyof typeof this.totals)[]) {
      this.totals[name] += sum[name];
    }
    if (this.lastAt === undefined || sum.lastAt > this.lastAt) this.lastAt = sum.lastAt;
  }

  addModel({ provider, model, role, tokensIn, tokensOut, tokensCached }: ModelSum): void {
    const key = JSON.stringify([provider, model, role]);
    const known = this.models.get(key);
    this.models.set(key, {
      provider,
      model,
      role,
      tokens_in: (known?.tokens_in ?? 0) + tokensIn,
      tokens_out: (known?.tokens_out ?? 0) + tokensOut,
      tokens: (known?.tokens ?? 0) + tokensIn + tokensOut,
      tokens_cached: (known?.tokens_cached ?? 0) + tokensCached,
    });
  }

  get chargedMicros(): number {
    return this.totals.chargedMicros;
  }

  /** Sums that a tenant may see, without any costs. */
  get sums() {
    const { invocations, tokensIn, tokensOut, chargedMicros } = this.totals;
    return {
      invocations,
      tokens_in: tokensIn,
      tokens_out: tokensOut,
      credits_charged_micros: chargedMicros,
    };
  }

  /** Sums with the costs of runs. Revenue exists only for tenants and months. */
  get sumsWithCosts() {
    return { ...this.sums, ...costsOf(this.totals), margin_micros: null };
  }

  costedSums(revenueMicros: number): CostedSums {
    return { ...this.sums, ...costsOf(this.totals), ...earningsOf(this.totals, revenueMicros) };
  }

  get consumption(): Consumption {
    const models = firstOf(
      this.models.values(),
      listedModelsMax,
      (a, b) => b.tokens - a.tokens || order(a, b),
    );
    return { ...this.sums, by_status: Object.fromEntries(this.byStatus), by_model: models };
  }

  costedConsumption(revenueMicros: number): CostedConsumption {
    return { ...this.consumption, ...costsOf(this.totals), ...earningsOf(this.totals, revenueMicros) };
  }
}

type Costs = Pick<InvocationSum, "overrunMicros" | "providerCostMicros" | "infraCostMicros" | "unknownCosts">;

/** Costs of runs. */
const costsOf = ({ overrunMicros, providerCostMicros, infraCostMicros, unknownCosts }: Costs) => ({
  provider_cost_micros: providerCostMicros,
  unknown_cost_invocations: unknownCosts,
  infra_cost_micros: infraCostMicros,
  overrun_micros: overrunMicros,
});

/** Revenue, and the margin after both costs, which is unknown if a cost is. */
const earningsOf = ({ providerCostMicros, infraCostMicros, unknownCosts }: Costs, revenueMicros: number) => ({
  revenue_micros: revenueMicros,
  margin_micros: unknownCosts > 0 ? null : revenueMicros - providerCostMicros - infraCostMicros,
});

/** Returns the sum for a key; creates it if needed. */
export function sumOf(sums: Map<string, ConsumptionSum>, key: string): ConsumptionSum {
  const known = sums.get(key) ?? new ConsumptionSum();
  sums.set(key, known);
  return known;
}

const order = (a: ModelUsage, b: ModelUsage) =>
  JSON.stringify([a.provider, a.model, a.role]) < JSON.stringify([b.provider, b.model, b.role]) ? -1 : 1;
