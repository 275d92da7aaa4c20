import { Text } from "@mantine/core";
import type { AccountLink } from "../../../../contracts/platform/auth.ts";
import { SecretDialog } from "../../../parts/dialogs/secret-dialog.tsx";
import { resetTexts as texts } from "../../../texts/platform/operator.ts";
import { usePlatform } from "../../use-platform.ts";
import { LinkOnce } from "../link-once.tsx";

interface ResetPasswordDialogProps {
  email: string;
  close: () => void;
}

/** Makes a link with which a person chooses a password, and shows it once. */
export function ResetPasswordDialog({ email, close }: ResetPasswordDialogProps) {
  const platform = usePlatform();
  return (
    <SecretDialog<AccountLink>
      title={(link) => (link === undefined ? texts.title : texts.doneTitle)}
      action={texts.action}
      isDanger
      create={() => platform.issuePasswordLink(email)}
      close={close}
      shown={(link) => <LinkOnce link={link} texts={texts} close={close} />}
    >
      <Text className="ar-break">{texts.text(email)}</Text>
    </SecretDialog>
  );
}
