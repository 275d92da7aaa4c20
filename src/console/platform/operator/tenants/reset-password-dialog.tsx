import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { SecretDialog } from "../../../parts/dialogs/secret-dialog.tsx";
import { CopyButton } from "../../../parts/text/copy-button.tsx";
import { resetTexts as texts } from "../../../texts/platform/operator.ts";
import { usePlatform } from "../../use-platform.ts";

interface ResetPasswordDialogProps {
  email: string;
  close: () => void;
}

/** Gives a person a new password and shows it once. */
export function ResetPasswordDialog({ email, close }: ResetPasswordDialogProps) {
  const platform = usePlatform();
  return (
    <SecretDialog<string>
      title={(password) => (password === undefined ? texts.title : texts.doneTitle)}
      action={texts.action}
      isDanger
      create={async () => (await platform.resetPassword(email)).password}
      close={close}
      shown={(password) => (
        <Stack gap="md">
          <Alert color="brass" variant="light" title={texts.onceTitle}>
            <span className="ar-break">{texts.once(email)}</span>
          </Alert>
          <Group gap={6} wrap="nowrap" align="center">
            <Code block className="ar-break ar-tn-secret" aria-label={texts.password}>
              {password}
            </Code>
            <CopyButton value={password} label={texts.copy} />
          </Group>
          <Group justify="flex-end">
            <Button onClick={close}>{texts.kept}</Button>
          </Group>
        </Stack>
      )}
    >
      <Text className="ar-break">{texts.text(email)}</Text>
    </SecretDialog>
  );
}
