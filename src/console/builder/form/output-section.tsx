import { Button, Group } from "@mantine/core";
import { isOutputShorthand, outputJsonSchema } from "../../../manifest/agent/output-schema.ts";
import { valueAt } from "../../../manifest/value-at.ts";
import { Icon } from "../../parts/icon.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { useFormContent } from "./form-context.ts";
import { OutputFields } from "./output-fields.tsx";
import { SchemaText } from "./schema-text.tsx";

const path = ["spec", "output_schema"];

/** The shape of an answer's data: fields with their types, or a JSON Schema. */
export function OutputSection() {
  const { value, change } = useFormContent();
  const declared = valueAt(value, path);
  if (declared === undefined || declared === null) {
    return (
      <>
        <span className="ar-soft">{texts.noOutput}</span>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="plus" />}
            onClick={() => change(path, { answer: "string" })}
          >
            {texts.addFirstField}
          </Button>
          <Button size="xs" variant="default" onClick={() => change(path, startingSchema)}>
            {texts.useJsonSchema}
          </Button>
        </Group>
      </>
    );
  }
  const isMapping = typeof declared === "object" && !Array.isArray(declared);
  const fields = isMapping ? (declared as Record<string, unknown>) : undefined;
  const isShort = fields !== undefined && isOutputShorthand(fields);
  return (
    <>
      {fields === undefined && <span className="ar-soft">{texts.outputInYaml}</span>}
      {fields !== undefined &&
        (isShort ? (
          <OutputFields fields={fields} />
        ) : (
          <SchemaText path="spec.output_schema" label={texts.jsonSchema} schema={fields} />
        ))}
      <Group gap="xs">
        {fields !== undefined && isShort && (
          <Button size="xs" variant="default" onClick={() => change(path, outputJsonSchema(fields))}>
            {texts.toJsonSchema}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="trash" />}
          onClick={() => change(path, undefined)}
        >
          {texts.removeOutput}
        </Button>
      </Group>
    </>
  );
}

const startingSchema = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
  additionalProperties: false,
};
