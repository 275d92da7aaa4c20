import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
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
  return (
    <Select
      label={texts.plan}
      required
      allowDeselect={false}
      data={offered.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
      value={plan}
      onChange={(value) => value !== null && choose(value)}
    />
  );
}
