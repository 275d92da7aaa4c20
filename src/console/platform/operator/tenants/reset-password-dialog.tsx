import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Dialog } from "../../../parts/dialogs/dialog.tsx";
import { DialogForm } from "../../../parts/dialogs/form-dialog.tsx";
import { CopyButton } from "../../../parts/text/copy-button.tsx";
import { resetTexts as texts } from "../../../texts/platform/operator.ts";
import { usePlatform } from "../../use-platform.ts";

interface ResetPasswordDialogProps {
  email: string;
  close: () => void;
}

/** Gives a person a new password and shows it once. While it is shown, a click outside does not close the dialog. */
export function ResetPasswordDialog({ email, close }: ResetPasswordDialogProps) {
  const platform = usePlatform();
  const [password, setPassword] = useState<string>();
  return (
    <Dialog
      opened
      onClose={close}
      title={password === undefined ? texts.title : texts.doneTitle}
      closeOnClickOutside={password === undefined}
      closeOnEscape={password === undefined}
    >
      {password === undefined ? (
        <DialogForm
          action={texts.action}
          isDanger
          send={async () => setPassword((await platform.resetPassword(email)).password)}
          sent={() => {}}
          cancel={close}
        >
          <Text className="ar-break">{texts.text(email)}</Text>
        </DialogForm>
      ) : (
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
    </Dialog>
  );
}
