import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { MemberRole, NewInvitation } from "../../../../contracts/platform/members.ts";
import { Dialog } from "../../../parts/dialogs/dialog.tsx";
import { DialogForm } from "../../../parts/dialogs/form-dialog.tsx";
import { SecretOnce } from "../../../parts/dialogs/secret-once.tsx";
import { tenantMemberTexts as texts } from "../../../texts/platform/tenant-members.ts";
import { usePlatform } from "../../use-platform.ts";
import { RoleSelect } from "./role-select.tsx";

interface InviteDialogProps {
  tenantId: string;
  /** Roles that the caller may give. */
  roles: readonly MemberRole[];
  invited: () => void;
  close: () => void;
}

/** Invites a person and shows the code once. While it is shown, a click outside does not close the dialog. */
export function InviteDialog({ tenantId, roles, invited, close }: InviteDialogProps) {
  const platform = usePlatform(tenantId);
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<MemberRole>("member");
  const [made, setMade] = useState<NewInvitation>();
  return (
    <Dialog
      opened
      onClose={close}
      title={made === undefined ? texts.inviteTitle : texts.invitedTitle(made.email)}
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
    >
      {made === undefined ? (
        <DialogForm
          action={texts.inviteAction}
          isComplete={email.trim() !== ""}
          send={async () => setMade(await platform.inviteMember(tenantId, { email: email.trim(), role }))}
          sent={invited}
          cancel={close}
        >
          <TextInput
            label={texts.email}
            description={texts.emailHint}
            type="email"
            required
            maxLength={254}
            autoComplete="off"
            data-autofocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <RoleSelect label={texts.role} hint value={role} roles={roles} change={setRole} />
        </DialogForm>
      ) : (
        <SecretOnce texts={texts} secret={made.token} close={close} />
      )}
    </Dialog>
  );
}
