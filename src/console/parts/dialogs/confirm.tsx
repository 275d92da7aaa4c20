import { Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { partTexts } from "../../texts/parts.ts";
import { Dialog } from "./dialog.tsx";
import { DialogForm } from "./form-dialog.tsx";

export interface ConfirmProps {
  title: string;
  /** The consequence, including whether it can be undone. */
  text: ReactNode;
  /** Label of the button that confirms. */
  action: string;
  /** Text that the user must type first, for actions that cannot be undone. */
  typed?: string;
  opened: boolean;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
}

/** Asks for confirmation before an action that the user may regret. */
export function Confirm({ title, text, action, typed, opened, onClose, onConfirm }: ConfirmProps) {
  const [written, setWritten] = useState("");
  const close = () => {
    setWritten("");
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={title}>
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
    </Dialog>
  );
}
