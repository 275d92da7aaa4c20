import { Alert, Button, Code, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { NewCloudKey } from "../../../contracts/cloud/keys.ts";
import { DialogForm } from "../../parts/dialogs/form-dialog.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { keyTexts as texts } from "../../texts/cloud/org.ts";
import { partTexts } from "../../texts/parts.ts";
import { useCloud } from "../use-cloud.ts";

interface NewKeyDialogProps {
  slug: string;
  made: () => void;
  close: () => void;
}

/** Creates an API key and shows it once. While it is shown, a click outside does not close the dialog. */
export function NewKeyDialog({ slug, made, close }: NewKeyDialogProps) {
  const cloud = useCloud();
  const [name, setName] = useState("");
  const [key, setKey] = useState<NewCloudKey>();
  return (
    <Modal
      opened
      onClose={close}
      title={key === undefined ? texts.create : texts.createdTitle(key.name)}
      closeOnClickOutside={key === undefined}
      closeOnEscape={key === undefined}
      closeButtonProps={{ "aria-label": partTexts.close }}
    >
      {key === undefined ? (
        <DialogForm
          action={texts.createAction}
          isComplete={name.trim() !== ""}
          send={async () => setKey(await cloud.createKey(slug, name))}
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
    </Modal>
  );
}
