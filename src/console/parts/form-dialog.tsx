import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { partTexts } from "../texts/parts.ts";
import { DialogForm } from "./dialog-form.tsx";

interface FormDialogProps {
  title: string;
  /** Label of the button that sends the form. */
  action: string;
  close: () => void;
  /** Sends the form. An error is shown, and the dialog stays open. */
  send: () => Promise<unknown>;
  isComplete?: boolean;
  size?: string;
  /** Renders the data to be stored before it is sent, for data that never changes. */
  review?: () => ReactNode;
  /** The form's fields. */
  children: ReactNode;
}

/** A form in a dialog: sent by its button or Enter, closed by Escape. It stays open if the server refuses it. */
export function FormDialog({ title, close, size, ...form }: FormDialogProps) {
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      closeButtonProps={{ "aria-label": partTexts.close }}
      {...(size === undefined ? {} : { size })}
    >
      <DialogForm {...form} sent={close} cancel={close} />
    </Modal>
  );
}
