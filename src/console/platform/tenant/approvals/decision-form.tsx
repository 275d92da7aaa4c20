import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { approvalTexts as texts } from "../../../texts/platform-tenant-runs.ts";

export type Verdict = "approve" | "reject";

interface DecisionFormProps {
  isBusy: boolean;
  decide: (verdict: Verdict, comment: string) => void;
}

/** Yes or no, with a note; Enter in the note decides nothing. */
export function DecisionForm({ isBusy, decide }: DecisionFormProps) {
  const [comment, setComment] = useState("");
  return (
    <Group gap="xs" align="end">
      <TextInput
        flex="1 1 220px"
        label={texts.note}
        description={texts.noteHint}
        maxLength={4096}
        value={comment}
        disabled={isBusy}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Button disabled={isBusy} onClick={() => decide("approve", comment)}>
        {texts.approve}
      </Button>
      <Button variant="default" disabled={isBusy} onClick={() => decide("reject", comment)}>
        {texts.reject}
      </Button>
    </Group>
  );
}
