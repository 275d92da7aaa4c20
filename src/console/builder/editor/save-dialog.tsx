import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { refusalOf } from "../../../contracts/refusal.ts";
import { saveFile } from "../../api/save-file.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { isConflict } from "../../editor/conflict-dialog.tsx";
import { DiffView } from "../../editor/diff-view.tsx";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";

interface SaveDialogProps {
  opened: boolean;
  onClose: () => void;
  name: string;
  /** The stored text; absent for a new agent. */
  stored: string | undefined;
  text: string;
  onSave: () => Promise<void>;
  /** The stored version is not the one that was edited. */
  onConflict: () => void;
  /** For an agent that cannot be changed in place: saves a copy. */
  copy?: { name: string; save: () => Promise<void> } | undefined;
}

/** Shows the changes and saves them. */
export function SaveDialog({
  opened,
  onClose,
  name,
  stored,
  text,
  onSave,
  onConflict,
  copy,
}: SaveDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const close = () => {
    setFailure(undefined);
    onClose();
  };
  const perform = async (save: () => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await save();
      close();
    } catch (thrown) {
      if (isConflict(thrown)) onConflict();
      else setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  const isInFile = refusalOf(failure)?.code === "agent_in_file";
  return (
    <Dialog opened={opened} onClose={close} size="xl" title={texts.saveTitle}>
      <Stack gap="sm">
        <Text>{stored === undefined ? texts.saveNew : texts.saveChange(name)}</Text>
        <div className="ar-edit-diff">
          {stored === undefined ? (
            <CodeEditor language="yaml" value={text} label={texts.diff} maxHeight="55vh" />
          ) : (
            <DiffView before={stored} after={text} language="yaml" label={texts.diff} />
          )}
        </div>
        {failure !== undefined && <FailureView thrown={failure} />}
        {isInFile && <Text>{texts.inFile}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {texts.cancel}
          </Button>
          {isInFile && (
            <Button
              variant="default"
              onClick={() => saveFile(`${name}.agent.yaml`, "application/yaml", text)}
            >
              {texts.download}
            </Button>
          )}
          {isInFile && copy !== undefined ? (
            <Button loading={isBusy} onClick={() => void perform(copy.save)}>
              {texts.saveCopy(copy.name)}
            </Button>
          ) : (
            <Button loading={isBusy} onClick={() => void perform(onSave)} data-autofocus>
              {stored === undefined ? texts.createAction : texts.saveAction}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
