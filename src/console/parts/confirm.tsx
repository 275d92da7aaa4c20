import { Modal, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { partTexts } from "../texts/parts.ts";
import { DialogForm } from "./dialog-form.tsx";

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
  const close = () => {
    setWritten("");
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ "aria-label": partTexts.close }}>
      <DialogForm
        action={action}
        send={onConfirm}
        sent={close}
        cancel={close}
        isComplete={typed === undefined || written === typed}
        isDanger
      >
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
      </DialogForm>
    </Modal>
  );
}
