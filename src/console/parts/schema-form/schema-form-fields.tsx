import { Stack } from "@mantine/core";
import type { ComponentType } from "react";
import { type FormFaults, joinPath } from "./schema-form-check.ts";
import { type FormSchema, labelOf, withKey } from "./schema-form-value.ts";

/** Properties of every field of a schema form. */
export interface SchemaFormFieldProps {
  label: string;
  schema: FormSchema;
  value: unknown;
  /** Path of the value in the input. */
  path: string;
  isRequired: boolean;
  faults: FormFaults;
  onChange: (value: unknown) => void;
}

/** The component for nested fields. */
export interface WithField {
  Field: ComponentType<SchemaFormFieldProps>;
}

interface SchemaFormFieldsProps extends WithField {
  schema: FormSchema;
  value: Record<string, unknown>;
  path: string;
  faults: FormFaults;
  onChange: (value: Record<string, unknown>) => void;
}

/** The fields of an object's properties, required ones first. */
export function SchemaFormFields({ schema, value, path, faults, onChange, Field }: SchemaFormFieldsProps) {
  const required = new Set(schema.required);
  const properties = Object.entries(schema.properties ?? {}).sort(
    ([one], [other]) => Number(required.has(other)) - Number(required.has(one)),
  );
  return (
    <Stack gap="sm">
      {properties.map(([key, property]) => (
        <Field
          key={key}
          label={labelOf(key, property)}
          schema={property}
          value={value[key]}
          path={joinPath(path, key)}
          isRequired={required.has(key)}
          faults={faults}
          onChange={(next) => onChange(withKey(value, key, next))}
        />
      ))}
    </Stack>
  );
}
