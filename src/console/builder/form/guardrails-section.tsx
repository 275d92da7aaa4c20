import { ActionIcon, Select } from "@mantine/core";
import { valueAt } from "../../../manifest/value-at.ts";
import { Icon } from "../../parts/icon.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { schemaAt } from "../manifest/schema-at.ts";
import { useFormContent } from "./form-context.ts";
import { SchemaField } from "./schema-field.tsx";

/** The guardrails for input and output. */
export function GuardrailsSection() {
  return (
    <>
      <Guardrails stage="input" title={texts.inputGuardrails} />
      <Guardrails stage="output" title={texts.outputGuardrails} />
    </>
  );
}

interface GuardrailsProps {
  stage: "input" | "output";
  title: string;
}

function Guardrails({ stage, title }: GuardrailsProps) {
  const { schema, value, change, append } = useFormContent();
  const path = ["spec", "guardrails", stage];
  const present = valueAt(value, path);
  const entries: unknown[] = Array.isArray(present) ? present : [];
  const variants = schemaAt(schema, path, value)?.items?.anyOf ?? [];
  const types = variants.flatMap(({ properties }) => String(properties?.type?.const ?? []));
  return (
    <fieldset className="ar-edit-group">
      <legend>{title}</legend>
      {entries.length === 0 && <span className="ar-soft">{texts.noGuardrails}</span>}
      <ul className="ar-edit-entries" aria-label={title}>
        {entries.map((entry, at) => {
          const type = String((entry as { type?: unknown } | null)?.type ?? "");
          const keys = Object.keys(
            variants.find(({ properties }) => properties?.type?.const === type)?.properties ?? {},
          );
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: an entry is known by its place alone
            <li key={at}>
              <div className="ar-edit-entry">
                <strong className="ar-mono ar-edit-entry-name">{type}</strong>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={texts.remove(type)}
                  onClick={() => change([...path, at], undefined)}
                >
                  <Icon name="trash" />
                </ActionIcon>
              </div>
              <div className="ar-edit-pair">
                {keys
                  .filter((key) => key !== "type")
                  .map((key) => (
                    <SchemaField key={key} path={`spec.guardrails.${stage}[${at}].${key}`} />
                  ))}
              </div>
            </li>
          );
        })}
      </ul>
      <Select
        label={texts.addGuardrail}
        data={types}
        value={null}
        placeholder={texts.add}
        onChange={(type) => {
          if (type !== null) append(path, { type });
        }}
      />
    </fieldset>
  );
}
