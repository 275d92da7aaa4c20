import { Button, Group, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { partTexts } from "../../texts/parts.ts";
import { FailureView } from "../states/failure-view.tsx";
import { Dialog } from "./dialog.tsx";

interface FormDialogProps extends Omit<DialogFormProps, "sent" | "cancel" | "changed"> {
  title: string;
  close: () => void;
  size?: string;
  /** True if closing the dialog would lose something that was not typed into it. */
  isDirty?: boolean;
}

/**
 * A form in a dialog: sent by its button or Enter, closed by Escape. It stays open if the server refuses it. After the user has typed
 * something, a click outside does not close it.
 */
export function FormDialog({ title, close, size, isDirty = false, ...form }: FormDialogProps) {
  const [isChanged, setChanged] = useState(false);
  return (
    <Dialog
      opened
      onClose={close}
      title={title}
      isHeld={form.isHeld}
      closeOnClickOutside={!isChanged && !isDirty}
      {...(size === undefined ? {} : { size })}
    >
      <DialogForm {...form} changed={() => setChanged(true)} sent={close} cancel={close} />
    </Dialog>
  );
}

export interface DialogFormProps {
  /** Label of the button that sends the form. */
  action: string;
  /** Sends the form. An error is shown, and the form stays open. */
  send: () => Promise<unknown>;
  sent: () => void;
  cancel: () => void;
  isComplete?: boolean;
  /** True while the form can't be left. */
  isHeld?: boolean | undefined;
  /** The user has typed something. */
  changed?: () => void;
  /** True if the action cannot be undone. */
  isDanger?: true;
  /** Renders a review that the user sees before sending, for data that never changes once stored. */
  review?: () => ReactNode;
  children: ReactNode;
}

/** A form in a dialog, sent by its button or Enter. It stays open if the server refuses it. */
export function DialogForm({
  action,
  send,
  sent,
  cancel,
  isComplete = true,
  isHeld = false,
  changed,
  isDanger,
  review,
  children,
}: DialogFormProps) {
  const sending = useMutation({ mutationFn: send, onSuccess: sent });
  const [isReviewing, setReviewing] = useState(false);
  const isLast = review === undefined || isReviewing;
  return (
    <form
      onInput={changed}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isComplete || sending.isPending) return;
        if (isLast) sending.mutate();
        else setReviewing(true);
      }}
    >
      <Stack>
        {isReviewing ? review?.() : children}
        {sending.isError && isLast && <FailureView thrown={sending.error} />}
        <Group justify="flex-end" className="ar-form-actions">
          {isReviewing ? (
            <Button variant="default" disabled={sending.isPending} onClick={() => setReviewing(false)}>
              {partTexts.back}
            </Button>
          ) : (
            <Button variant="default" disabled={isHeld} onClick={cancel}>
              {partTexts.cancel}
            </Button>
          )}
          <Button
            type="submit"
            key={isLast ? "send" : "review"}
            loading={sending.isPending}
            disabled={!isComplete}
            {...(isReviewing ? { "data-autofocus": true, autoFocus: true } : {})}
            {...(isDanger ? { color: "red" } : {})}
          >
            {isLast ? action : partTexts.review}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
