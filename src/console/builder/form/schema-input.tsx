import { Autocomplete, MultiSelect, Select, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import {
  type NumberEntry,
  type NumberRules,
  readNumber,
  UnreadableNumber,
} from "../../parts/inputs/number-entry.ts";
import { NumberField } from "../../parts/inputs/number-field.tsx";
import { codeWords } from "../../parts/text/code-words.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import { valueLabel } from "../../texts/manifest.ts";
import { descriptionText } from "../../texts/manifest-descriptions.ts";
import type { Schema } from "../manifest/schema-at.ts";

export interface SchemaInputProps {
  label: string;
  schema: Schema;
  value: unknown;
  isRequired: boolean;
  /** Empty if there is no error. */
  error: string;
  placeholder: string;
  suggestions?: readonly string[] | undefined;
  rows?: number | undefined;
  /** Called with undefined to remove the value. */
  onChange: (value: unknown) => void;
}

/** Inputs side by side are on one line, however long their descriptions are. */
const wrapperOrder = ["label", "input", "description", "error"] as const;

/** The input for a value, by its schema. Values without a suitable input are edited in the YAML. */
export function SchemaInput(props: SchemaInputProps) {
  const { label, schema, value, isRequired, error, placeholder, suggestions, rows, onChange } = props;
  const common = {
    label,
    description: codeWords(schema.description && descriptionText(schema.description)),
    error: error === "" ? undefined : codeWords(error),
    withAsterisk: isRequired,
    inputWrapperOrder: [...wrapperOrder],
  };
  const onText = (text: string) => onChange(text === "" ? undefined : text);
  const choices = choicesOf(schema);
  if (isElsewhere(schema, value)) {
    return <TextInput {...common} value="" placeholder={texts.custom} readOnly />;
  }
  if (schema.items !== undefined) {
    const values = Array.isArray(value) ? value.map(String) : [];
    const onValues = (next: string[]) => onChange(next.length === 0 ? undefined : next);
    const options = choicesOf(schema.items);
    return options === undefined ? (
      <TagsInput {...common} value={values} onChange={onValues} />
    ) : (
      <MultiSelect {...common} data={options.map(inWords)} value={values} onChange={onValues} searchable />
    );
  }
  if (choices !== undefined) {
    const chosen = value === undefined ? null : String(value);
    const data = chosen === null || choices.includes(chosen) ? choices : [...choices, chosen];
    return (
      <Select
        {...common}
        data={data.map(inWords)}
        value={chosen}
        placeholder={placeholder}
        clearable={!isRequired}
        searchable
        onChange={(next) => onChange(next ?? undefined)}
      />
    );
  }
  if (schema.type === "boolean") {
    return (
      <Switch
        label={label}
        description={common.description}
        error={common.error}
        checked={(value ?? schema.default) === true}
        onChange={({ currentTarget: { checked } }) =>
          onChange(checked === schema.default ? undefined : checked)
        }
      />
    );
  }
  if (schema.type === "number" || schema.type === "integer") {
    const rules = schema.type === "integer" ? integerRules : numberRules;
    return (
      <NumberField
        {...common}
        rules={rules}
        step={schema.type === "integer" ? 1 : 0.1}
        value={numberEntry(value, rules)}
        placeholder={placeholder}
        // A text that is not a number is written to the YAML unchanged; the check of the manifest refuses it.
        onChange={(next) => onChange(next instanceof UnreadableNumber ? next.text : (next ?? undefined))}
      />
    );
  }
  const text = value === undefined || value === null ? "" : String(value);
  if (rows !== undefined) {
    return (
      <Textarea
        {...common}
        value={text}
        placeholder={placeholder}
        autosize
        minRows={rows}
        maxRows={18}
        spellCheck={false}
        classNames={{ input: "ar-edit-prompt" }}
        onChange={(event) => onText(event.currentTarget.value)}
      />
    );
  }
  if (suggestions !== undefined) {
    return (
      <Autocomplete
        {...common}
        data={[...suggestions]}
        value={text}
        placeholder={placeholder}
        onChange={onText}
      />
    );
  }
  return (
    <TextInput
      {...common}
      value={text}
      placeholder={placeholder}
      onChange={(event) => onText(event.currentTarget.value)}
    />
  );
}

/** The check of the manifest enforces bounds. */
const integerRules: NumberRules = { decimals: 0 };
const numberRules: NumberRules = { decimals: 15 };

const numberEntry = (value: unknown, rules: NumberRules): NumberEntry =>
  typeof value === "number" ? value : readNumber(typeof value === "string" ? value : "", rules);

/** Returns true if the YAML has a value that the field cannot show. */
function isElsewhere({ items, type }: Schema, value: unknown): boolean {
  if (items !== undefined) return value !== undefined && value !== null && !isListOfTexts(value);
  if (typeof value === "object" && value !== null) return true;
  if (type !== "number" && type !== "integer") return false;
  return typeof value === "boolean" || (typeof value === "string" && value.includes("${"));
}

/** Shows a value in words; the YAML keeps it. */
const inWords = (value: string) => ({ value, label: valueLabel(value) });

const isListOfTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

function choicesOf({ enum: values, const: only, anyOf }: Schema): string[] | undefined {
  if (values !== undefined) return values.map(String);
  if (only !== undefined) return [String(only)];
  return anyOf?.every(({ const: one }) => one !== undefined)
    ? anyOf.map(({ const: one }) => String(one))
    : undefined;
}
