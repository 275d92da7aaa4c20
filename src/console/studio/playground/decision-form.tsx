import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { playTexts as texts } from "../../texts/studio-runs.ts";
import type { Verdict } from "./run-state.ts";

/** Approving or rejecting a call, with a note. */
export function DecisionForm({ decide }: { decide: (verdict: Verdict, comment: string) => void }) {
  const [comment, setComment] = useState("");
  return (
    <>
      <TextInput
        label={texts.note}
        description={texts.noteHint}
        maxLength={4096}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
        autoComplete="off"
      />
      <Group gap="xs">
        <Button onClick={() => decide("approve", comment.trim())}>{texts.approve}</Button>
        <Button variant="default" className="ar-refuse" onClick={() => decide("reject", comment.trim())}>
          {texts.reject}
        </Button>
      </Group>
    </>
  );
}
