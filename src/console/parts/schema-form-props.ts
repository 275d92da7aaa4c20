import type { ComponentType } from "react";
import type { FormFaults } from "./schema-form-check.ts";
import type { FormSchema } from "./schema-form-value.ts";

/** What every field of a form made of a schema is given. */
export interface SchemaFormFieldProps {
  label: string;
  schema: FormSchema;
  value: unknown;
  /** Of the value in the input. */
  path: string;
  isRequired: boolean;
  faults: FormFaults;
  onChange: (value: unknown) => void;
}

/** For fields that have fields within: what shows those. */
export interface WithField {
  Field: ComponentType<SchemaFormFieldProps>;
}
