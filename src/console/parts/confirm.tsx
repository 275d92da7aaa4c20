import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { partTexts } from "../texts/parts.ts";
import { FailureView } from "./failure-view.tsx";

export interface ConfirmProps {
  title: string;
  /** What will happen, and whether it can be undone. */
  text: ReactNode;
  /** The button that does it. */
  action: string;
  /** What has to be typed first, for what can't be undone. */
  typed?: string;
  opened: boolean;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
}

/** Asks before something that somebody may regret. */
export function Confirm({ title, text, action, typed, opened, onClose, onConfirm }: ConfirmProps) {
  const [written, setWritten] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const close = () => {
    setWritten("");
    setFailure(undefined);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ "aria-label": partTexts.close }}>
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          setBusy(true);
          try {
            await onConfirm();
            close();
          } catch (thrown) {
            setFailure(thrown);
          } finally {
            setBusy(false);
          }
        }}
      >
        <Stack gap="md">
          <Text component="div">{text}</Text>
          {typed !== undefined && (
            <TextInput
              label={partTexts.typeToConfirm(typed)}
              value={written}
              onChange={(event) => setWritten(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          {failure !== undefined && <FailureView thrown={failure} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {partTexts.cancel}
            </Button>
            <Button
              type="submit"
              color="red"
              loading={isBusy}
              disabled={typed !== undefined && written !== typed}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
