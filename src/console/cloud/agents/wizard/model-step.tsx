import { Alert, Anchor, Select, TextInput } from "@mantine/core";
import { Link } from "wouter";
import { Icon } from "../../../parts/icon.tsx";
import { wizardTexts as texts } from "../../../texts/cloud/agents.ts";
import { hintBelow, type StepProps } from "./step-props.ts";

/** Step 1: the models, by provider. */
export function ModelStep({
  form,
  change,
  errorOf,
  catalog,
  keyed,
  providersPath,
}: StepProps & { providersPath: string }) {
  const options = catalog.providers.map(({ provider }) => provider);
  const missing = [...new Set([form.provider, form.fallbackProvider])].filter((name) =>
    catalog.providers.some(
      ({ provider, needs_key }) => provider === name && needs_key && !keyed.includes(provider),
    ),
  );
  return (
    <>
      <div className="ar-cl-pair">
        <Select
          label={texts.provider}
          data={options}
          value={form.provider || null}
          error={form.model === "" ? undefined : errorOf("step1.model")}
          onChange={(value) =>
            change({
              provider: value ?? "",
              // The built-in model has one name.
              ...(value === rehearsal && { model: rehearsal }),
              ...(form.provider === rehearsal && value !== rehearsal && { model: "" }),
            })
          }
        />
        <TextInput
          label={texts.model}
          description={texts.modelHint}
          inputWrapperOrder={hintBelow}
          autoComplete="off"
          maxLength={319}
          value={form.model}
          error={form.model === "" ? errorOf("step1.model") : undefined}
          onChange={(event) => change({ model: event.currentTarget.value })}
        />
      </div>
      <div className="ar-cl-pair">
        <Select
          label={texts.fallbackProvider}
          data={options}
          placeholder={texts.noFallback}
          clearable
          clearButtonProps={{ "aria-label": texts.noFallback }}
          value={form.fallbackProvider || null}
          onChange={(value) =>
            change({
              fallbackProvider: value ?? "",
              ...(value === null && { fallbackModel: "" }),
              ...(value === rehearsal && { fallbackModel: rehearsal }),
            })
          }
        />
        <TextInput
          label={texts.fallbackModel}
          description={texts.fallbackHint}
          inputWrapperOrder={hintBelow}
          autoComplete="off"
          maxLength={319}
          disabled={form.fallbackProvider === ""}
          value={form.fallbackModel}
          error={errorOf("step1.fallback_model")}
          onChange={(event) => change({ fallbackModel: event.currentTarget.value })}
        />
      </div>
      {missing.map((provider) => (
        <Alert key={provider} variant="outline" className="ar-warning" icon={<Icon name="key" />}>
          {texts.needsKey(provider)}{" "}
          <Anchor component={Link} href={providersPath}>
            {texts.toProviders}
          </Anchor>
        </Alert>
      ))}
    </>
  );
}

const rehearsal = "rehearsal";
