import { ActionIcon, Text } from "@mantine/core";
import { valueAt } from "../../../manifest/value-at.ts";
import { Icon } from "../../parts/icon.tsx";
import { AddSelect } from "../../parts/inputs/add-select.tsx";
import { codeWords } from "../../parts/text/code-words.tsx";
import { guardrailName, builderTexts as texts } from "../../texts/builder.ts";
import { descriptionText } from "../../texts/manifest-descriptions.ts";
import { type Schema, schemaAt } from "../manifest/schema-at.ts";
import { EntryProblems } from "./entry-problems.tsx";
import { useFormContent } from "./form-context.ts";
import { SchemaField } from "./schema-field.tsx";

const descriptionOf = (variant: Schema | undefined): string | undefined =>
  variant?.description && descriptionText(variant.description);

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
  const variantOf = (type: string) => variants.find(({ properties }) => properties?.type?.const === type);
  const types = variants.flatMap(({ properties }) => String(properties?.type?.const ?? []));
  return (
    <fieldset className="ar-edit-group">
      <legend>{title}</legend>
      {entries.length === 0 && <span className="ar-soft">{texts.noGuardrails}</span>}
      <ul className="ar-edit-entries" aria-label={title}>
        {entries.map((entry, at) => {
          const type = String((entry as { type?: unknown } | null)?.type ?? "");
          const variant = variantOf(type);
          const keys = Object.keys(variant?.properties ?? {});
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: an entry is known by its place alone
            <li key={at}>
              <div className="ar-edit-entry">
                <span className="ar-edit-entry-name">
                  <strong>{guardrailName(type)}</strong>
                  <Text size="xs" className="ar-soft">
                    {codeWords(descriptionOf(variant))}
                  </Text>
                </span>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={texts.remove(guardrailName(type))}
                  onClick={() => change([...path, at], undefined)}
                >
                  <Icon name="trash" />
                </ActionIcon>
              </div>
              <div className="ar-edit-pair">
                <EntryProblems path={`spec.guardrails.${stage}[${at}]`} isWithoutParts />
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
      <AddSelect
        label={texts.addGuardrail}
        data={types.map((type) => ({ value: type, label: guardrailName(type) }))}
        placeholder={texts.add}
        renderOption={({ option }) => (
          <div>
            {option.label}
            <Text size="xs" className="ar-soft">
              {codeWords(descriptionOf(variantOf(option.value)))}
            </Text>
          </div>
        )}
        add={(type) => append(path, { type })}
      />
    </fieldset>
  );
}
