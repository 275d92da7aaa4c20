import { Button, Group, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
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
  children: ReactNode;
}

/** What a dialog asks: sent by its button or Enter, kept by a refusal. */
export function DialogForm({
  action,
  send,
  sent,
  cancel,
  isComplete = true,
  isDanger,
  children,
}: DialogFormProps) {
  const sending = useMutation({ mutationFn: send, onSuccess: sent });
  return (
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
          <Button variant="default" onClick={cancel}>
            {partTexts.cancel}
          </Button>
          <Button
            type="submit"
            loading={sending.isPending}
            disabled={!isComplete}
            {...(isDanger ? { color: "red" } : {})}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
