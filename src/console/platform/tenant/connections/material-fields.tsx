import { ActionIcon, Button, Fieldset, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useRef } from "react";
import { Icon } from "../../../parts/icon.tsx";
import { connectionTexts as texts } from "../../../texts/platform/tenant.ts";
import { emptyRow, type MaterialRow } from "./material-rows.ts";

interface MaterialFieldsProps {
  rows: readonly MaterialRow[];
  change: (rows: MaterialRow[]) => void;
}

/** The fields for a connection's secrets. */
export function MaterialFields({ rows, change }: MaterialFieldsProps) {
  const next = useRef(rows.length);
  const put = (id: number, part: Partial<MaterialRow>) =>
    change(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  return (
    <Fieldset legend={texts.secrets}>
      <Stack gap="sm">
        <Text size="sm" className="ar-soft">
          {texts.secretsHint}
        </Text>
        {rows.map(({ id, name, value }, at) => (
          <Group key={id} gap="xs" align="end" wrap="nowrap">
            <TextInput
              flex={1}
              label={at === 0 ? texts.secretName : undefined}
              aria-label={texts.secretName}
              value={name}
              maxLength={255}
              onChange={(event) => put(id, { name: event.currentTarget.value })}
            />
            <PasswordInput
              flex={2}
              label={at === 0 ? texts.secretValue : undefined}
              aria-label={texts.secretValue}
              autoComplete="new-password"
              value={value}
              visibilityToggleButtonProps={{ "aria-label": texts.reveal }}
              onChange={(event) => put(id, { value: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={34}
              aria-label={texts.removeSecret(name)}
              disabled={rows.length === 1}
              onClick={() => change(rows.filter((row) => row.id !== id))}
            >
              <Icon name="trash" />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="plus" />}
            onClick={() => change([...rows, emptyRow(next.current++)])}
          >
            {texts.addSecret}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}
