import { Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { memoryTextMax } from "../../../../contracts/daemon/memory/semantic-memory.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../../parts/notices.tsx";
import { memoryTexts, recallTexts as texts } from "../../../texts/studio/resources.ts";
import { useDaemon } from "../../use-daemon.ts";

interface AddTextDialogProps {
  agent: string;
  added: () => Promise<unknown>;
  close: () => void;
}

/** Adds a text to an agent's memory. */
export function AddTextDialog({ agent, added, close }: AddTextDialogProps) {
  const daemon = useDaemon();
  const [text, setText] = useState("");
  const [user, setUser] = useState("");
  const [source, setSource] = useState("");
  return (
    <FormDialog
      title={texts.addTitle}
      action={texts.add}
      isComplete={text.trim() !== ""}
      close={close}
      send={async () => {
        await daemon.addMemory(agent, {
          text,
          ...(user === "" ? {} : { user }),
          ...(source === "" ? {} : { metadata: { source } }),
        });
        await added();
        notify(texts.added);
      }}
    >
      <Textarea
        label={texts.text}
        required
        data-autofocus
        autosize
        minRows={4}
        maxRows={14}
        maxLength={memoryTextMax}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <TextInput
        label={memoryTexts.user}
        description={memoryTexts.userHint}
        maxLength={255}
        value={user}
        onChange={(event) => setUser(event.currentTarget.value)}
      />
      <TextInput
        label={texts.source}
        description={texts.sourceHint}
        value={source}
        onChange={(event) => setSource(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
