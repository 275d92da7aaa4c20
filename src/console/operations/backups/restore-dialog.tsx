import { Group, Stack, Text } from "@mantine/core";
import type { KnownBackup } from "../../../contracts/daemon/backups.ts";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { formatInstant } from "../../parts/text/format.ts";
import { backupTexts as texts } from "../../texts/operations/backups.ts";

/** Shows the commands that restore a backup. */
export const RestoreDialog = ({ backup, close }: { backup: KnownBackup; close: () => void }) => (
  <Dialog opened onClose={close} title={texts.restoreOf(formatInstant(backup.taken_at))} size="lg">
    <Stack>
      <Text>{texts.restoreLead}</Text>
      <Text>{texts.trial}</Text>
      <CommandLine text={backup.trial_command} />
      <Text>{texts.replace}</Text>
      <CommandLine text={backup.restore_command} />
      <Text className="ar-soft">{texts.kept}</Text>
    </Stack>
  </Dialog>
);

const CommandLine = ({ text }: { text: string }) => (
  <Group wrap="nowrap" align="start">
    <code className="ar-mono ar-break">{text}</code>
    <CopyButton label={texts.copy} value={text} />
  </Group>
);
