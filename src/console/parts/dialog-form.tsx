import { Button, Group, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { partTexts } from "../texts/parts.ts";
import { FailureView } from "./failure-view.tsx";

interface DialogFormProps {
  /** The button that sends it. */
  action: string;
  /** What is thrown is shown, and the form stays. */
  send: () => Promise<unknown>;
  sent: () => void;
  cancel: () => void;
  isComplete?: boolean;
  /** What can't be taken back. */
  isDanger?: true;
  /** For what is never changed once it is stored: shows it before the form can be sent. */
  review?: () => ReactNode;
  children: ReactNode;
}

/** A dialog's form: sent by its button or Enter, kept by a refusal. */
export function DialogForm({
  action,
  send,
  sent,
  cancel,
  isComplete = true,
  isDanger,
  review,
  children,
}: DialogFormProps) {
  const sending = useMutation({ mutationFn: send, onSuccess: sent });
  const [isReviewing, setReviewing] = useState(false);
  const isLast = review === undefined || isReviewing;
  return (
    <form
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
            <Button variant="default" onClick={cancel}>
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
