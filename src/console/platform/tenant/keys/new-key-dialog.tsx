import { Alert, Button, Code, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { NewKey } from "../../../../contracts/platform/tenants.ts";
import { DialogForm } from "../../../parts/dialogs/form-dialog.tsx";
import { CopyButton } from "../../../parts/text/copy-button.tsx";
import { partTexts } from "../../../texts/parts.ts";
import { keyTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";

interface NewKeyDialogProps {
  tenantId: string;
  made: () => void;
  close: () => void;
}

/** Creates a key and shows it once. While it is shown, a click outside does not close the dialog. */
export function NewKeyDialog({ tenantId, made, close }: NewKeyDialogProps) {
  const platform = usePlatform(tenantId);
  const [label, setLabel] = useState("");
  const [key, setKey] = useState<NewKey>();
  return (
    <Modal
      opened
      onClose={close}
      title={key === undefined ? texts.create : texts.createdTitle(key.label)}
      closeOnClickOutside={key === undefined}
      closeOnEscape={key === undefined}
      closeButtonProps={{ "aria-label": partTexts.close }}
    >
      {key === undefined ? (
        <DialogForm
          action={texts.createAction}
          isComplete={label.trim() !== ""}
          send={async () => setKey(await platform.createKey(tenantId, label))}
          sent={made}
          cancel={close}
        >
          <TextInput
            label={texts.label}
            description={texts.labelHint}
            required
            maxLength={100}
            data-autofocus
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
        </DialogForm>
      ) : (
        <ShownOnce rawKey={key.rawKey} close={close} />
      )}
    </Modal>
  );
}

function ShownOnce({ rawKey, close }: { rawKey: string; close: () => void }) {
  return (
    <Stack gap="md">
      <Alert color="brass" variant="light" title={texts.onceTitle}>
        {texts.once}
      </Alert>
      <Group gap={6} wrap="nowrap" align="center">
        <Code block className="ar-break ar-tn-secret" aria-label={texts.rawKey}>
          {rawKey}
        </Code>
        <CopyButton value={rawKey} label={texts.copy} />
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
