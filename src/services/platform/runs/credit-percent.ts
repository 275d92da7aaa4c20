import type { RunPlans } from "./admission.ts";
import { tenantScope } from "./credit-counters.ts";
import type { Settled } from "./settle-invocation.ts";

/** Charged share of the cap that is used most, in whole percent, rounded down; undefined without a cap. */
export function creditPercent({ counters }: Settled, { tenant, subscription }: RunPlans): number | undefined {
  let percent: number | undefined;
  for (const { scope, chargedMicros } of counters) {
    const cap = (scope === tenantScope ? tenant : subscription)?.creditCapPeriodMicros;
    if (cap === undefined || cap === null || cap === 0) continue;
    const used = Number((BigInt(chargedMicros) * 100n) / BigInt(cap));
    percent = Math.max(percent ?? 0, used);
  }
  return percent;
}
