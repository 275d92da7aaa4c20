import { Modal, Stack } from "@mantine/core";
import type { KnownBackup } from "../../../contracts/daemon/backups.ts";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { formatInstant } from "../../parts/text/format.ts";
import { backupTexts as texts } from "../../texts/operations/backups.ts";
import { partTexts } from "../../texts/parts.ts";

/** Shows the commands that restore a backup. */
export const RestoreDialog = ({ backup, close }: { backup: KnownBackup; close: () => void }) => (
  <Modal
    opened
    onClose={close}
    title={texts.restoreOf(formatInstant(backup.taken_at))}
    closeButtonProps={{ "aria-label": partTexts.close }}
    size="lg"
  >
    <Stack>
      <p>{texts.restoreLead}</p>
      <p>{texts.trial}</p>
      <CommandLine text={backup.trial_command} />
      <p>{texts.replace}</p>
      <CommandLine text={backup.restore_command} />
      <p className="ar-soft">{texts.kept}</p>
    </Stack>
  </Modal>
);

const CommandLine = ({ text }: { text: string }) => (
  <div>
    <pre className="ar-mono ar-break">{text}</pre>
    <CopyButton label={texts.copy} value={text} />
  </div>
);
