import { Select } from "@mantine/core";
import { NumberField } from "../../../parts/inputs/number-field.tsx";
import { wizardTexts as texts } from "../../../texts/cloud/agents.ts";
import type { StepProps } from "./step-props.ts";

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** Step 4: memory. */
export function MemoryStep({ form, change, errorOf }: StepProps) {
  return (
    <>
      <Select
        label={texts.memoryType}
        allowDeselect={false}
        data={optionsOf(texts.memoryTypes)}
        value={form.memoryType}
        error={errorOf("step4.memory_type")}
        onChange={(value) => value !== null && change({ memoryType: value })}
      />
      <Select
        label={texts.strategy}
        allowDeselect={false}
        data={optionsOf(texts.strategies)}
        value={form.strategy}
        error={errorOf("step4.memory_strategy")}
        onChange={(value) => value !== null && change({ strategy: value })}
      />
      <NumberField
        label={texts.windowSize}
        description={texts.windowHint}
        rules={{ decimals: 0 }}
        step={1}
        value={form.windowSize}
        error={errorOf("step4.window_size")}
        onChange={(windowSize) => change({ windowSize })}
      />
    </>
  );
}
