import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { runPartTexts as texts } from "../texts/runs.ts";
import type { ApprovalChoice, Decide } from "./run-state.ts";

interface DecisionFormProps {
  isBusy?: boolean;
  decide: Decide;
}

/** Approves or rejects a call, with a note. Enter in the note does not submit. */
export function DecisionForm({ isBusy = false, decide }: DecisionFormProps) {
  const [comment, setComment] = useState("");
  const send = (verdict: ApprovalChoice) =>
    decide(verdict, comment.trim() === "" ? {} : { comment: comment.trim() });
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
      <Button disabled={isBusy} onClick={() => send("approve")}>
        {texts.approve}
      </Button>
      <Button variant="default" className="ar-danger" disabled={isBusy} onClick={() => send("reject")}>
        {texts.reject}
      </Button>
    </Group>
  );
}
