import { PasswordInput, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { accountTexts as texts } from "../../texts/platform/account.ts";
import { usePlatform } from "../use-platform.ts";
import { arePasswordsTyped, PasswordFields } from "./password-fields.tsx";

/** Key of the list of the person's sessions. */
export const sessionsKey = ["platform", "me", "sessions"] as const;

/** Changes the person's password. */
export function PasswordDialog({ close }: { close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [typed, type] = useState({ current: "", next: "" });
  return (
    <FormDialog
      title={texts.passwordTitle}
      action={texts.changePassword}
      isComplete={arePasswordsTyped(typed)}
      close={close}
      send={async () => {
        await platform.changePassword({ current: typed.current, new: typed.next });
        await queries.invalidateQueries({ queryKey: sessionsKey });
        notify(texts.passwordChanged);
      }}
    >
      <Text size="sm" className="ar-soft">
        {texts.passwordText}
      </Text>
      <PasswordFields value={typed} change={type} />
    </FormDialog>
  );
}

/** Asks for another e-mail address. */
export function EmailDialog({ close }: { close: () => void }) {
  const platform = usePlatform();
  const [form, setForm] = useState({ email: "", current: "" });
  return (
    <FormDialog
      title={texts.emailTitle}
      action={texts.emailAction}
      isComplete={form.email.trim() !== "" && form.current !== ""}
      close={close}
      send={async () => {
        const { email } = await platform.requestEmail({ ...form, email: form.email.trim() });
        notify(texts.emailRequested(email));
      }}
    >
      <TextInput
        label={texts.newEmail}
        description={texts.emailHint}
        type="email"
        required
        maxLength={320}
        autoComplete="email"
        data-autofocus
        value={form.email}
        onChange={(event) => setForm({ ...form, email: event.currentTarget.value })}
      />
      <PasswordInput
        label={texts.password}
        required
        autoComplete="current-password"
        value={form.current}
        onChange={(event) => setForm({ ...form, current: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
