import type { TenantSubscription } from "../../../../contracts/platform/billing/subscriptions.ts";
import { type Fact, Facts } from "../../../parts/facts.tsx";
import { formatCredits, formatDate, formatNumber } from "../../../parts/format.ts";
import { subscriptionTexts as texts } from "../../../texts/platform-tenant.ts";

/** A subscription with the usage of its current period. */
export function SubscriptionView({ subscription }: { subscription: TenantSubscription }) {
  const { plan, counters, desde, next_plan_id } = subscription;
  const used = formatCredits(counters.credits_charged_micros);
  const cap = plan.credit_cap_period_micros;
  return (
    <Facts
      facts={[
        { label: texts.plan, value: plan.name },
        { label: texts.since, value: formatDate(desde) },
        {
          label: texts.credits(counters.period),
          value: cap === null ? used : texts.of(used, formatCredits(cap)),
        },
        ...Object.entries(counters.units).map(
          ([unit, count]): Fact => ({
            label: unit,
            value: texts.units(formatNumber(count), formatNumber(plan.spec.unidades[unit]?.incluidas ?? 0)),
          }),
        ),
        ...(next_plan_id === null ? [] : [{ label: texts.nextPlan, value: next_plan_id }]),
      ]}
    />
  );
}
