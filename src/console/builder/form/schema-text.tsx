import { JsonInput } from "@mantine/core";
import { useState } from "react";
import { pathOf } from "../../../manifest/fault.ts";
import { isRecord } from "../../parts/is-record.ts";
import { problemsAt } from "../manifest/manifest-checks.ts";
import { readSchemaText } from "../manifest/output-fields.ts";
import { useFormContent } from "./form-context.ts";

interface SchemaTextProps {
  /** Path of the schema in the manifest: `spec.output_schema`. */
  path: string;
  label: string;
  description?: string;
  schema: Record<string, unknown>;
}

/** A JSON Schema in the manifest, as JSON. A text that is not a JSON object stays in the field and changes nothing. */
export function SchemaText({ path, label, description, schema }: SchemaTextProps) {
  const { problems, merge } = useFormContent();
  const current = inOrder(schema);
  const [draft, setDraft] = useState<{ text: string; of: string }>();
  // A draft ends when the YAML gets another schema than the one that the draft was begun with or has written.
  const text = draft?.of === current ? draft.text : JSON.stringify(schema, null, 2);
  const reading = readSchemaText(text);
  const faults = problemsAt(problems, path).map(({ path: where, message }) =>
    `${where.slice(path.length).replace(/^\./, "")} ${message}`.trim(),
  );
  const error = "refusal" in reading ? reading.refusal : faults.join("; ");
  return (
    <JsonInput
      label={label}
      description={description}
      inputWrapperOrder={["label", "input", "description", "error"]}
      value={text}
      error={error === "" ? undefined : error}
      onChange={(typed) => {
        const next = readSchemaText(typed);
        const of = "schema" in next ? inOrder(next.schema) : current;
        setDraft({ text: typed, of });
        if ("schema" in next && of !== current) merge(pathOf(path), next.schema);
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
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
