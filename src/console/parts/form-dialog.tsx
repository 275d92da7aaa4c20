import { Button, Group, Modal, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { partTexts } from "../texts/parts.ts";
import { FailureView } from "./failure-view.tsx";

interface FormDialogProps {
  title: string;
  /** The button that sends it. */
  action: string;
  close: () => void;
  /** What is thrown is shown, and the dialog stays. */
  send: () => Promise<unknown>;
  isComplete?: boolean;
  size?: string;
  /** The fields. */
  children: ReactNode;
}

/** A form in a dialog: sent by its button or Enter, closed by Escape, kept open by a refusal. */
export function FormDialog({
  title,
  action,
  close,
  send,
  isComplete = true,
  size,
  children,
}: FormDialogProps) {
  const sending = useMutation({ mutationFn: send, onSuccess: close });
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      closeButtonProps={{ "aria-label": partTexts.close }}
      {...(size === undefined ? {} : { size })}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          sending.mutate();
        }}
      >
        <Stack>
          {children}
          {sending.isError && <FailureView thrown={sending.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {partTexts.cancel}
            </Button>
            <Button type="submit" loading={sending.isPending} disabled={!isComplete}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
