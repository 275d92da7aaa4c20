import type { ComponentType } from "react";
import type { FormFaults } from "./schema-form-check.ts";
import type { FormSchema } from "./schema-form-value.ts";

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
