import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { orgEvalTexts as texts } from "../../../texts/cloud/evals.ts";

interface OverrideDialogProps {
  /** Shown name of the agent. */
  agent: string;
  send: (reason: string) => Promise<void>;
  close: () => void;
}

/** Deploys an agent that its gate refuses, with a reason. */
export function OverrideDialog({ agent, send, close }: OverrideDialogProps) {
  const [reason, setReason] = useState("");
  return (
    <FormDialog
      title={texts.overrideTitle(agent)}
      action={texts.override}
      isComplete={reason.trim() !== ""}
      close={close}
      send={() => send(reason.trim())}
    >
      <Text size="sm" className="ar-soft">
        {texts.overrideText}
      </Text>
      <TextInput
        label={texts.reason}
        required
        maxLength={500}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
