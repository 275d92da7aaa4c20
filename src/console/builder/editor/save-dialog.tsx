import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { refusalOf } from "../../../contracts/refusal.ts";
import { saveFile } from "../../api/save-file.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { isConflict } from "../../editor/conflict-dialog.tsx";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { builderTexts as texts } from "../../texts/builder.ts";
import type { SaveAction, SaveWish } from "../builder.tsx";
import { ManifestDiff } from "../manifest-diff.tsx";

interface SaveDialogProps {
  onClose: () => void;
  action: Pick<SaveAction, "title" | "review">;
  name: string;
  /** The stored text; absent for a new agent. */
  stored: string | undefined;
  text: string;
  onSave: (wish: Pick<SaveWish, "note">) => Promise<void>;
  /** The stored version is not the one that was edited. */
  onConflict: () => void;
  refused?: ((thrown: unknown, text: string) => ReactNode) | undefined;
  /** For an agent that cannot be changed in place: saves a copy. */
  copy?: { name: string; save: () => Promise<void> } | undefined;
}

/** Shows the changes and saves them. */
export function SaveDialog(props: SaveDialogProps) {
  const { onClose: close, action, name, stored, text, onSave, onConflict, refused, copy } = props;
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [note, setNote] = useState("");
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
  const isNoted = action.review === "noted" && stored !== undefined;
  const save = () => perform(() => onSave(note.trim() === "" ? {} : { note: note.trim() }));
  return (
    <Dialog opened onClose={close} size="xl" title={texts.saveTitle}>
      <Stack gap="sm">
        <Text>{stored === undefined ? texts.saveNew : texts.saveChange(name)}</Text>
        {stored === undefined ? (
          <div className="ar-edit-diff">
            <CodeEditor language="yaml" value={text} label={texts.diff} maxHeight="55vh" />
          </div>
        ) : (
          <ManifestDiff before={stored} after={text} label={texts.diff} />
        )}
        {isNoted && (
          <TextInput
            label={texts.note}
            description={texts.noteHint}
            maxLength={200}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        )}
        {failure !== undefined && (refused?.(failure, text) ?? <FailureView thrown={failure} />)}
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
            <Button loading={isBusy} onClick={() => void save()} data-autofocus>
              {action.title}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
