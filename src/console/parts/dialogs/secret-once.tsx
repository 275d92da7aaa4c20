import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { CopyButton } from "../text/copy-button.tsx";

export interface SecretTexts {
  onceTitle: string;
  once: string;
  /** Name of the secret. */
  secret: string;
  copy: string;
  /** How the secret is used. */
  how: string;
  kept: string;
}

interface SecretOnceProps {
  texts: SecretTexts;
  secret: string;
  close: () => void;
}

/** A secret that the server shows only once. */
export function SecretOnce({ texts, secret, close }: SecretOnceProps) {
  return (
    <Stack gap="md">
      <Alert color="brass" variant="light" title={texts.onceTitle}>
        {texts.once}
      </Alert>
      <Group gap={6} wrap="nowrap" align="center">
        <Code block className="ar-break ar-tn-secret" aria-label={texts.secret}>
          {secret}
        </Code>
        <CopyButton value={secret} label={texts.copy} />
      </Group>
      <Text size="sm" className="ar-soft">
        {texts.how}
      </Text>
      <Group justify="flex-end">
        <Button onClick={close}>{texts.kept}</Button>
      </Group>
    </Stack>
  );
}
