import { Checkbox, Select, Textarea, TextInput } from "@mantine/core";
import { schemaFormTexts as texts } from "../../texts/parts.ts";
import { UnreadableNumber } from "../inputs/number-entry.ts";
import { NumberField } from "../inputs/number-field.tsx";
import type { SchemaFormFieldProps } from "./schema-form-fields.tsx";
import { SchemaFormGroup } from "./schema-form-group.tsx";
import { SchemaFormJson } from "./schema-form-json.tsx";
import { SchemaFormList } from "./schema-form-list.tsx";
import { fieldKind } from "./schema-form-value.ts";

/** Texts that may be longer get a multi-line field. */
const lineLength = 300;

/** The check of the input enforces bounds. */
const numberRules = { decimals: 15 };
const integerRules = { decimals: 0 };

/** The input field of one value, by its schema. Empty means absent. */
export function SchemaFormField(props: SchemaFormFieldProps) {
  const { label, schema, value, path, isRequired, faults, onChange } = props;
  const field = {
    label,
    description: schema.description,
    required: isRequired,
    error: faults[path],
  };
  switch (fieldKind(schema)) {
    case "choice":
      return (
        <Select
          {...field}
          data={(schema.enum ?? []).map(String)}
          value={value === undefined ? null : String(value)}
          placeholder={texts.choose}
          clearable={!isRequired}
          onChange={(chosen) => onChange(schema.enum?.find((one) => String(one) === chosen))}
        />
      );
    case "text": {
      const text = {
        ...field,
        value: typeof value === "string" ? value : "",
        onChange: (event: { currentTarget: { value: string } }) =>
          onChange(event.currentTarget.value === "" ? undefined : event.currentTarget.value),
      };
      const isLong = (schema.maxLength ?? Number.POSITIVE_INFINITY) > lineLength;
      return isLong ? <Textarea {...text} autosize minRows={1} maxRows={12} /> : <TextInput {...text} />;
    }
    case "number":
      return (
        <NumberField
          {...field}
          rules={schema.type === "number" ? numberRules : integerRules}
          step={1}
          value={typeof value === "number" || value instanceof UnreadableNumber ? value : null}
          onChange={(next) => onChange(next ?? undefined)}
        />
      );
    case "flag":
      return <FlagField {...props} />;
    case "list":
      return <SchemaFormList {...props} Field={SchemaFormField} />;
    case "fields":
      return <SchemaFormGroup {...props} Field={SchemaFormField} />;
    case "json":
      return (
        <SchemaFormJson
          label={label}
          schema={schema}
          value={value}
          isRequired={isRequired}
          fault={faults[path]}
          onChange={onChange}
        />
      );
  }
}

/** A yes/no field, with a third option if the value may be absent. */
function FlagField({ label, schema, value, path, isRequired, faults, onChange }: SchemaFormFieldProps) {
  const field = { label, description: schema.description, error: faults[path] };
  if (isRequired || schema.default !== undefined) {
    return (
      <Checkbox
        {...field}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  return (
    <Select
      {...field}
      data={[
        { value: "true", label: texts.yes },
        { value: "false", label: texts.no },
      ]}
      value={value === undefined ? null : String(value)}
      placeholder={texts.notGiven}
      clearable
      onChange={(chosen) => onChange(chosen === null ? undefined : chosen === "true")}
    />
  );
}
