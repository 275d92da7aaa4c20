import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { MemberRole, NewInvitation } from "../../../../contracts/platform/members.ts";
import { SecretDialog } from "../../../parts/dialogs/secret-dialog.tsx";
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

/** Invites a person and shows the code once. */
export function InviteDialog({ tenantId, roles, invited, close }: InviteDialogProps) {
  const platform = usePlatform(tenantId);
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<MemberRole>("member");
  return (
    <SecretDialog<NewInvitation>
      title={(made) => (made === undefined ? texts.inviteTitle : texts.invitedTitle(made.email))}
      action={texts.inviteAction}
      isComplete={email.trim() !== ""}
      create={() => platform.inviteMember(tenantId, { email: email.trim(), role })}
      created={invited}
      close={close}
      shown={({ token }) => <SecretOnce texts={texts} secret={token} close={close} />}
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
    </SecretDialog>
  );
}
