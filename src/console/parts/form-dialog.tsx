import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { partTexts } from "../texts/parts.ts";
import { DialogForm } from "./dialog-form.tsx";

interface FormDialogProps {
  title: string;
  /** The button that sends it. */
  action: string;
  close: () => void;
  /** What is thrown is shown, and the dialog stays. */
  send: () => Promise<unknown>;
  isComplete?: boolean;
  size?: string;
  /** Shows what will be stored, before what is never changed is sent. */
  review?: () => ReactNode;
  /** The fields. */
  children: ReactNode;
}

/** A form in a dialog: sent by its button or Enter, closed by Escape, kept open by a refusal. */
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
