import { Button, Group, JsonInput } from "@mantine/core";
import { useState } from "react";
import { isOutputShorthand, outputJsonSchema } from "../../../../manifest/agent/output-schema.ts";
import { Icon } from "../../../parts/icon.tsx";
import { agentEditorTexts as texts } from "../../../texts/studio/agents.ts";
import { problemsAt } from "../manifest/manifest-checks.ts";
import { readSchemaText } from "../manifest/output-fields.ts";
import { useFormContent, valueAt } from "./form-context.ts";
import { OutputFields } from "./output-fields.tsx";

const path = ["spec", "output_schema"];
const written = path.join(".");

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
      {fields !== undefined && (isShort ? <OutputFields fields={fields} /> : <SchemaText schema={fields} />)}
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

/** The schema as JSON. A text that is not a JSON object stays in the field and changes nothing. */
function SchemaText({ schema }: { schema: Record<string, unknown> }) {
  const { problems, merge } = useFormContent();
  const current = inOrder(schema);
  const [draft, setDraft] = useState<{ text: string; of: string }>();
  // A draft ends when the YAML gets another schema than the one that the draft was begun with or has written.
  const text = draft?.of === current ? draft.text : JSON.stringify(schema, null, 2);
  const reading = readSchemaText(text);
  const faults = problemsAt(problems, written).map(({ path: where, message }) =>
    `${where.slice(written.length).replace(/^\./, "")} ${message}`.trim(),
  );
  const error = "refusal" in reading ? reading.refusal : faults.join("; ");
  return (
    <JsonInput
      label={texts.jsonSchema}
      value={text}
      error={error === "" ? undefined : error}
      onChange={(typed) => {
        const next = readSchemaText(typed);
        const of = "schema" in next ? inOrder(next.schema) : current;
        setDraft({ text: typed, of });
        if ("schema" in next && of !== current) merge(path, next.schema);
      }}
      autosize
      minRows={8}
      maxRows={24}
      spellCheck={false}
      classNames={{ input: "ar-mono" }}
    />
  );
}

/** Serializes a value with the keys in alphabetical order: the YAML keeps its own order of keys. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
