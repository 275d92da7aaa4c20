import { Button, Fieldset, Stack, Text } from "@mantine/core";
import { schemaFormTexts as texts } from "../../texts/parts.ts";
import { Icon } from "../icon.tsx";
import { type SchemaFormFieldProps, SchemaFormFields, type WithField } from "./schema-form-fields.tsx";
import { initialValue } from "./schema-form-value.ts";

/** The fields of a nested object. An optional object can be added and removed. */
export function SchemaFormGroup(props: SchemaFormFieldProps & WithField) {
  const { label, schema, value, path, isRequired, faults, onChange, Field } = props;
  const isPresent = typeof value === "object" && value !== null;
  return (
    <Fieldset legend={label} className="ar-form-group">
      <Stack gap="sm">
        {schema.description !== undefined && <Text className="ar-soft">{schema.description}</Text>}
        {isPresent && (
          <SchemaFormFields
            schema={schema}
            value={value as Record<string, unknown>}
            path={path}
            faults={faults}
            onChange={onChange}
            Field={Field}
          />
        )}
        {faults[path] !== undefined && (
          <Text c="red" size="sm">
            {faults[path]}
          </Text>
        )}
        {(!isPresent || !isRequired) && (
          <Button
            size="xs"
            variant="default"
            className="ar-form-switch"
            leftSection={<Icon name={isPresent ? "trash" : "plus"} size={14} />}
            onClick={() => onChange(isPresent ? undefined : initialValue(schema))}
          >
            {isPresent ? texts.removeGroup(label) : texts.addGroup(label)}
          </Button>
        )}
      </Stack>
    </Fieldset>
  );
}
