import { Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { BackupStart } from "../../../contracts/daemon/backups.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { backupTexts as texts } from "../../texts/operations/backups.ts";

interface BackupDialogProps {
  /** Folder of backups that name no place. */
  folder: string;
  start: (start: BackupStart) => Promise<void>;
  close: () => void;
}

/** Asks where the backup goes, and starts it. */
export function BackupDialog({ folder, start, close }: BackupDialogProps) {
  const [place, setPlace] = useState("");
  const named = place.trim();
  return (
    <FormDialog
      title={texts.starting}
      action={texts.start}
      close={close}
      send={() => start(named === "" ? {} : { place: named })}
    >
      <TextInput
        data-autofocus
        label={texts.place}
        description={texts.placeHint}
        maxLength={1_024}
        value={place}
        onChange={({ currentTarget }) => setPlace(currentTarget.value)}
      />
      <Text className="ar-soft ar-break">{texts.defaultFolder(folder)}</Text>
      <Text className="ar-soft">{texts.sameDisk}</Text>
      <Text className="ar-soft">{texts.keys}</Text>
    </FormDialog>
  );
}
