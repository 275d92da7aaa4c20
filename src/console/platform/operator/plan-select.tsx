import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Plan } from "../../../contracts/platform/billing/plans.ts";
import { creditsText, usdText } from "../../parts/text/money.ts";
import { planTexts } from "../../texts/platform/billing.ts";
import { operatorTexts as texts } from "../../texts/platform/operator.ts";
import { usePlatform } from "../use-platform.ts";

interface PlanSelectProps {
  /** Vertical of the plans; null for base plans. */
  vertical: string | null;
  plan: string;
  choose: (plan: string) => void;
}

/** Selects one of the plans of a vertical. */
export function PlanSelect({ vertical, plan, choose }: PlanSelectProps) {
  const platform = usePlatform();
  const { data } = useQuery({ queryKey: ["platform", "plans"], queryFn: platform.listPlans });
  const offered = (data?.plans ?? []).filter(({ argo_code }) => argo_code === vertical);
  const chosen = offered.find(({ id }) => id === plan);
  return (
    <Select
      label={texts.plan}
      required
      allowDeselect={false}
      data={offered.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
      description={chosen && pricesOf(chosen)}
      inputWrapperOrder={["label", "input", "description"]}
      value={plan}
      onChange={(value) => value !== null && choose(value)}
    />
  );
}

const pricesOf = ({ min_fee_micros, included_credits_micros, extra_credit_price_micros }: Plan): string =>
  planTexts.priced(
    usdText(min_fee_micros),
    creditsText(included_credits_micros),
    usdText(extra_credit_price_micros),
  );
