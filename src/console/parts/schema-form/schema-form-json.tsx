import { JsonInput } from "@mantine/core";
import { useState } from "react";
import { schemaFormTexts as texts } from "../../texts/parts.ts";
import { type FormSchema, readJson, writeJson } from "./schema-form-value.ts";

interface SchemaFormJsonProps {
  label: string;
  schema: FormSchema;
  value: unknown;
  isRequired?: boolean;
  fault?: string | undefined;
  isLong?: boolean;
  onChange: (value: unknown) => void;
}

/** A value of any kind, edited as JSON. */
export function SchemaFormJson(props: SchemaFormJsonProps) {
  const { label, schema, value, isRequired = false, fault, isLong = false, onChange } = props;
  // The text as typed, while it still means the value.
  const [written, setWritten] = useState(() => writeJson(value));
  const isCurrent = JSON.stringify(readJson(written, schema)) === JSON.stringify(value);
  const hint = schema.type === undefined ? texts.anyJson : texts.jsonOf([schema.type].flat());
  return (
    <JsonInput
      label={label}
      description={[schema.description, hint].filter((part) => part !== undefined).join(" ")}
      required={isRequired}
      error={fault}
      value={isCurrent ? written : writeJson(value)}
      onChange={(text) => {
        setWritten(text);
        onChange(readJson(text, schema));
      }}
      autosize
      minRows={isLong ? 8 : 2}
      maxRows={isLong ? 24 : 12}
      spellCheck={false}
      classNames={{ input: "ar-mono" }}
    />
  );
}
