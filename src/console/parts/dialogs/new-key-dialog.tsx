import { Alert, Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { CopyButton } from "../text/copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { DialogForm } from "./form-dialog.tsx";

/** A new key with its secret, which the server shows only once. */
interface CreatedKey {
  name: string;
  secret: string;
}

interface NewKeyTexts {
  create: string;
  createAction: string;
  createdTitle: (name: string) => string;
  name: string;
  nameHint: string;
  onceTitle: string;
  once: string;
  secret: string;
  copy: string;
  how: string;
  kept: string;
}

interface NewKeyDialogProps {
  texts: NewKeyTexts;
  create: (name: string) => Promise<CreatedKey>;
  made: () => void;
  close: () => void;
}

/** Creates a key and shows it once. While it is shown, a click outside does not close the dialog. */
export function NewKeyDialog({ texts, create, made, close }: NewKeyDialogProps) {
  const [name, setName] = useState("");
  const [key, setKey] = useState<CreatedKey>();
  return (
    <Dialog
      opened
      onClose={close}
      title={key === undefined ? texts.create : texts.createdTitle(key.name)}
      closeOnClickOutside={key === undefined}
      closeOnEscape={key === undefined}
    >
      {key === undefined ? (
        <DialogForm
          action={texts.createAction}
          isComplete={name.trim() !== ""}
          send={async () => setKey(await create(name))}
          sent={made}
          cancel={close}
        >
          <TextInput
            label={texts.name}
            description={texts.nameHint}
            required
            maxLength={100}
            autoComplete="off"
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </DialogForm>
      ) : (
        <Stack gap="md">
          <Alert color="brass" variant="light" title={texts.onceTitle}>
            {texts.once}
          </Alert>
          <Group gap={6} wrap="nowrap" align="center">
            <Code block className="ar-break ar-tn-secret" aria-label={texts.secret}>
              {key.secret}
            </Code>
            <CopyButton value={key.secret} label={texts.copy} />
          </Group>
          <Text size="sm" className="ar-soft">
            {texts.how}
          </Text>
          <Group justify="flex-end">
            <Button onClick={close}>{texts.kept}</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
