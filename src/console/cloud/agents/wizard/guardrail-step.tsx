import { Checkbox, Fieldset, Stack, Textarea } from "@mantine/core";
import { NumberField } from "../../../parts/inputs/number-field.tsx";
import { wizardTexts as texts } from "../../../texts/cloud/agents.ts";
import { FieldError } from "./field-error.tsx";
import type { StepProps } from "./step-props.ts";
import { type GuardrailForm, readOptions, type Stage } from "./wizard-form.ts";

/** Step 5: guardrails with their options, and the length of answers. */
export function GuardrailStep(props: StepProps) {
  const { form, change, errorOf } = props;
  return (
    <>
      <StageFields {...props} stage="input" legend={texts.inputGuardrails} />
      <StageFields {...props} stage="output" legend={texts.outputGuardrails} />
      <NumberField
        label={texts.maxTokens}
        description={texts.maxTokensHint}
        rules={{ decimals: 0 }}
        step={100}
        value={form.maxTokens}
        error={errorOf("step5.max_tokens")}
        onChange={(maxTokens) => change({ maxTokens })}
      />
    </>
  );
}

function StageFields({
  form,
  change,
  errorOf,
  catalog,
  stage,
  legend,
}: StepProps & { stage: Stage; legend: string }) {
  const key = `${stage}_guardrails` as const;
  const chosen = form[stage];
  const set = (guardrails: readonly GuardrailForm[]) => change({ [stage]: guardrails });
  const offered = catalog[key];
  // An alias, or one that the server no longer has, stays until it is unchecked.
  const others = chosen.filter(({ type }) => offered.every(({ name }) => name !== type));
  const rows = [...others.map(({ type }) => ({ name: type, description: "" })), ...offered];
  return (
    <Fieldset legend={legend}>
      <Stack gap="sm">
        {rows.map(({ name, description }) => {
          const at = chosen.findIndex(({ type }) => type === name);
          const options = chosen[at]?.options ?? "";
          return (
            <div key={name}>
              <Checkbox
                label={<span className="ar-mono ar-break">{name}</span>}
                description={description}
                checked={at !== -1}
                onChange={(event) =>
                  set(
                    event.currentTarget.checked
                      ? [...chosen, { type: name, options: "" }]
                      : chosen.filter(({ type }) => type !== name),
                  )
                }
              />
              {at !== -1 && (
                <Textarea
                  ml={30}
                  mt={6}
                  label={texts.options(name)}
                  description={texts.optionsHint}
                  autosize
                  minRows={1}
                  maxRows={10}
                  classNames={{ input: "ar-mono" }}
                  value={options}
                  error={
                    readOptions(options) === undefined ? texts.optionsFault : errorOf(`step5.${key}[${at}]`)
                  }
                  onChange={(event) => {
                    const { value } = event.currentTarget;
                    set(chosen.map((one, index) => (index === at ? { ...one, options: value } : one)));
                  }}
                />
              )}
            </div>
          );
        })}
        <FieldError message={chosen.length === 0 ? errorOf(`step5.${key}`) : undefined} />
      </Stack>
    </Fieldset>
  );
}
