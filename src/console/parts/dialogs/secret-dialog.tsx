import { type ReactNode, useState } from "react";
import { Dialog } from "./dialog.tsx";
import { DialogForm, type DialogFormProps } from "./form-dialog.tsx";

interface SecretDialogProps<Secret>
  extends Pick<DialogFormProps, "action" | "isComplete" | "isDanger" | "children"> {
  /** `secret`: undefined before it is created. */
  title: (secret: Secret | undefined) => string;
  create: () => Promise<Secret>;
  created?: () => void;
  close: () => void;
  /** Renders the secret. */
  shown: (secret: Secret) => ReactNode;
}

/**
 * Sends a form that creates a secret, and shows the secret once. The dialog can't be closed while the request runs, because the secret would
 * then be lost. While the secret is shown, neither Escape nor a click outside closes the dialog.
 */
export function SecretDialog<Secret>({
  title,
  create,
  created = () => {},
  close,
  shown,
  ...form
}: SecretDialogProps<Secret>) {
  const [secret, setSecret] = useState<Secret>();
  const [isCreating, setCreating] = useState(false);
  const [isChanged, setChanged] = useState(false);
  const send = async () => {
    setCreating(true);
    try {
      setSecret(await create());
    } finally {
      setCreating(false);
    }
  };
  return (
    <Dialog
      opened
      isHeld={isCreating}
      onClose={close}
      title={title(secret)}
      closeOnClickOutside={secret === undefined && !isChanged}
      closeOnEscape={secret === undefined}
    >
      {secret === undefined ? (
        <DialogForm
          {...form}
          isHeld={isCreating}
          changed={() => setChanged(true)}
          send={send}
          sent={created}
          cancel={close}
        />
      ) : (
        shown(secret)
      )}
    </Dialog>
  );
}
