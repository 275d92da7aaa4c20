import { Alert, Button, Code, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { usePlatform } from "../../../api/use-server.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { FailureView } from "../../../parts/failure-view.tsx";
import { partTexts } from "../../../texts/parts.ts";
import { keyTexts as texts } from "../../../texts/platform-tenant.ts";

interface NewKeyDialogProps {
  tenantId: string;
  made: () => void;
  close: () => void;
}

/** Makes a key and shows it once: closing by a slip outside of the dialog is not possible then. */
export function NewKeyDialog({ tenantId, made, close }: NewKeyDialogProps) {
  const platform = usePlatform(tenantId);
  const [label, setLabel] = useState("");
  const create = useMutation({ mutationFn: () => platform.createKey(tenantId, label), onSuccess: made });
  const key = create.data;
  return (
    <Modal
      opened
      onClose={close}
      title={key === undefined ? texts.create : texts.madeTitle(key.label)}
      closeOnClickOutside={key === undefined}
      closeOnEscape={key === undefined}
      closeButtonProps={{ "aria-label": partTexts.close }}
    >
      {key === undefined ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate();
          }}
        >
          <Stack gap="md">
            <TextInput
              label={texts.label}
              description={texts.labelHint}
              required
              maxLength={100}
              data-autofocus
              value={label}
              onChange={(event) => setLabel(event.currentTarget.value)}
            />
            {create.isError && <FailureView thrown={create.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {partTexts.cancel}
              </Button>
              <Button type="submit" loading={create.isPending} disabled={label.trim() === ""}>
                {texts.createAction}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack gap="md">
          <Alert color="brass" variant="light" title={texts.onceTitle} className="ar-tn-once">
            {texts.once}
          </Alert>
          <Group gap={6} wrap="nowrap" align="center">
            <Code block className="ar-break ar-tn-secret" aria-label={texts.rawKey}>
              {key.rawKey}
            </Code>
            <CopyButton value={key.rawKey} label={texts.copy} />
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
