import { Select, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { InviteInput, OwnOrg } from "../../../contracts/cloud/orgs.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { memberTexts as texts } from "../../texts/cloud/org.ts";

interface InviteDialogProps {
  send: (input: InviteInput) => Promise<void>;
  close: () => void;
}

/** Invites a person by e-mail address. */
export function InviteDialog({ send, close }: InviteDialogProps) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<InviteInput["role"]>("member");
  return (
    <FormDialog
      title={texts.inviteTitle}
      action={texts.inviteAction}
      isComplete={email.trim() !== ""}
      close={close}
      send={() => send({ email: email.trim(), role })}
    >
      <TextInput
        label={texts.email}
        description={texts.inviteHint}
        type="email"
        required
        maxLength={320}
        autoComplete="off"
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Select
        label={texts.role}
        allowDeselect={false}
        data={Object.entries(texts.roles).map(([value, label]) => ({ value, label }))}
        value={role}
        onChange={(value) => setRole(value === "admin" ? "admin" : "member")}
      />
    </FormDialog>
  );
}

interface RenameDialogProps {
  org: OwnOrg;
  send: (name: string) => Promise<void>;
  close: () => void;
}

/** Gives the org another display name. */
export function RenameDialog({ org, send, close }: RenameDialogProps) {
  const [name, setName] = useState(org.display_name);
  return (
    <FormDialog
      title={texts.renameTitle}
      action={texts.renameAction}
      isComplete={name.trim() !== "" && name !== org.display_name}
      close={close}
      send={() => send(name)}
    >
      <TextInput
        label={texts.displayName}
        required
        maxLength={255}
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Text size="sm" className="ar-soft">
        {texts.slugStays(org.slug)}
      </Text>
    </FormDialog>
  );
}
