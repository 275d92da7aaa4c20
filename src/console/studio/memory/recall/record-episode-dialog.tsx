import { Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { areReadable, enteredNumber, type NumberEntry } from "../../../parts/inputs/number-entry.ts";
import { NumberField } from "../../../parts/inputs/number-field.tsx";
import { notify } from "../../../parts/notices.tsx";
import { memoryTexts, recallTexts as texts } from "../../../texts/studio/resources.ts";
import { useDaemon } from "../../use-daemon.ts";

interface RecordEpisodeDialogProps {
  agent: string;
  recorded: () => Promise<unknown>;
  close: () => void;
}

const importanceRules = { decimals: 2, min: 0, max: 1 };

/** Adds an episode to an agent's memory. */
export function RecordEpisodeDialog({ agent, recorded, close }: RecordEpisodeDialogProps) {
  const daemon = useDaemon();
  const [type, setType] = useState("");
  const [summary, setSummary] = useState("");
  const [outcome, setOutcome] = useState("");
  const [user, setUser] = useState("");
  const [importance, setImportance] = useState<NumberEntry>(0.5);
  return (
    <FormDialog
      title={texts.recordTitle}
      action={texts.record}
      isComplete={type.trim() !== "" && summary.trim() !== "" && areReadable([importance])}
      close={close}
      send={async () => {
        await daemon.addEpisode(agent, {
          event_type: type,
          summary,
          ...(outcome === "" ? {} : { outcome }),
          ...(user === "" ? {} : { user }),
          ...(importance === null ? {} : { importance: enteredNumber(importance) ?? 0 }),
        });
        await recorded();
        notify(texts.recorded);
      }}
    >
      <TextInput
        label={texts.type}
        description={texts.typeHint}
        required
        data-autofocus
        maxLength={100}
        value={type}
        onChange={(event) => setType(event.currentTarget.value)}
      />
      <Textarea
        label={texts.summary}
        required
        autosize
        minRows={3}
        maxRows={10}
        maxLength={4000}
        value={summary}
        onChange={(event) => setSummary(event.currentTarget.value)}
      />
      <TextInput
        label={texts.outcome}
        description={texts.outcomeHint}
        maxLength={100}
        value={outcome}
        onChange={(event) => setOutcome(event.currentTarget.value)}
      />
      <TextInput
        label={memoryTexts.user}
        description={memoryTexts.userHint}
        maxLength={255}
        value={user}
        onChange={(event) => setUser(event.currentTarget.value)}
      />
      <NumberField
        label={texts.importance}
        rules={importanceRules}
        step={0.1}
        value={importance}
        onChange={setImportance}
      />
    </FormDialog>
  );
}
