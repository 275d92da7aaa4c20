import { SegmentedControl, Stack } from "@mantine/core";
import { useState } from "react";
import { schemaFormTexts as texts } from "../../texts/parts.ts";
import type { FormFaults } from "./schema-form-check.ts";
import { SchemaFormField } from "./schema-form-field.tsx";
import { SchemaFormFields } from "./schema-form-fields.tsx";
import { SchemaFormJson } from "./schema-form-json.tsx";
import { type FormSchema, UnreadableJson } from "./schema-form-value.ts";

export interface SchemaFormProps {
  /** Schema of an object. */
  schema: FormSchema;
  /** `UnreadableJson` while the JSON text cannot be parsed. */
  value: Record<string, unknown> | UnreadableJson;
  onChange: (value: Record<string, unknown> | UnreadableJson) => void;
  /** Faults, shown at their fields. */
  faults?: FormFaults;
}

/** A form generated from a JSON Schema, or the same input as JSON. */
export function SchemaForm({ schema, value, onChange, faults = {} }: SchemaFormProps) {
  const [view, setView] = useState("form");
  const isUnreadable = value instanceof UnreadableJson;
  const hasFields = Object.keys(schema.properties ?? {}).length > 0;
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        className="ar-form-switch"
        aria-label={texts.view}
        value={view}
        data={[
          { value: "form", label: texts.form, disabled: isUnreadable },
          { value: "json", label: texts.json },
        ]}
        onChange={setView}
      />
      {view === "json" || isUnreadable ? (
        <SchemaFormJson
          label={texts.whole}
          schema={{ type: "object" }}
          value={value}
          fault={isUnreadable ? texts.unreadable : undefined}
          isLong
          onChange={(next) => onChange((next ?? {}) as Record<string, unknown> | UnreadableJson)}
        />
      ) : hasFields ? (
        <SchemaFormFields
          schema={schema}
          value={value}
          path=""
          faults={faults}
          onChange={onChange}
          Field={SchemaFormField}
        />
      ) : (
        <span className="ar-soft">{texts.nothing}</span>
      )}
      {view === "json" && <FaultList faults={faults} />}
    </Stack>
  );
}

/** Lists faults by path if there are no fields to show them at. */
function FaultList({ faults }: { faults: FormFaults }) {
  const found = Object.entries(faults).filter(([path]) => path !== "");
  if (found.length === 0) return null;
  return (
    <ul className="ar-form-faults">
      {found.map(([path, fault]) => (
        <li key={path}>
          <span className="ar-mono">{path}</span>: {fault}
        </li>
      ))}
    </ul>
  );
}
