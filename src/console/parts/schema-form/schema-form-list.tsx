import { ActionIcon, Button, Fieldset, Stack, Text } from "@mantine/core";
import { schemaFormTexts as texts } from "../../texts/parts.ts";
import { Icon } from "../icon.tsx";
import { joinPath } from "./schema-form-check.ts";
import type { SchemaFormFieldProps, WithField } from "./schema-form-fields.tsx";
import { initialItem } from "./schema-form-value.ts";

/** The elements of a list, one below the other. */
export function SchemaFormList(props: SchemaFormFieldProps & WithField) {
  const { label, schema, value, path, isRequired, faults, onChange, Field } = props;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const { items: itemSchema = {} } = schema;
  const set = (next: readonly unknown[]) => onChange(next.length === 0 && !isRequired ? undefined : next);
  return (
    <Fieldset legend={label} className="ar-form-group">
      <Stack gap="xs">
        {schema.description !== undefined && <Text className="ar-soft">{schema.description}</Text>}
        {items.map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: its place is all that an element is known by
          <div className="ar-form-item" key={at}>
            <Field
              label={texts.element(at + 1)}
              schema={itemSchema}
              value={item}
              path={joinPath(path, at)}
              isRequired
              faults={faults}
              onChange={(next) => set(items.with(at, next ?? initialItem(itemSchema)))}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={texts.removeElement(at + 1)}
              onClick={() => set(items.toSpliced(at, 1))}
            >
              <Icon name="trash" />
            </ActionIcon>
          </div>
        ))}
        {faults[path] !== undefined && (
          <Text c="red" size="sm">
            {faults[path]}
          </Text>
        )}
        <Button
          size="xs"
          variant="default"
          className="ar-form-switch"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => set([...items, initialItem(itemSchema)])}
        >
          {texts.addElement(label)}
        </Button>
      </Stack>
    </Fieldset>
  );
}
