import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { runPartTexts as texts } from "../texts/runs.ts";
import type { ApprovalVerdict } from "./run-state.ts";

interface DecisionFormProps {
  isBusy?: boolean;
  decide: (verdict: ApprovalVerdict, comment: string) => void;
}

/** Approves or rejects a call, with a note. Enter in the note does not submit. */
export function DecisionForm({ isBusy = false, decide }: DecisionFormProps) {
  const [comment, setComment] = useState("");
  return (
    <Group gap="xs" align="end">
      <TextInput
        flex="1 1 220px"
        label={texts.note}
        description={texts.noteHint}
        maxLength={4096}
        autoComplete="off"
        value={comment}
        disabled={isBusy}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Button disabled={isBusy} onClick={() => decide("approve", comment.trim())}>
        {texts.approve}
      </Button>
      <Button
        variant="default"
        className="ar-danger"
        disabled={isBusy}
        onClick={() => decide("reject", comment.trim())}
      >
        {texts.reject}
      </Button>
    </Group>
  );
}
