import { Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { keysMadeBy } from "../../../contracts/platform/clients/keys-made-by.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { Facts } from "../../parts/layout/facts.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { OwnSessionsPanel } from "../../parts/own-sessions-panel.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { takeToken, useSession } from "../../session/session.tsx";
import { accountTexts as texts } from "../../texts/platform/account.ts";
import { usePlatform } from "../use-platform.ts";
import { EmailDialog, PasswordDialog, sessionsKey } from "./account-dialogs.tsx";

/** The person's own account. An e-mail link opens it with a token to confirm. */
export default function AccountPage() {
  const platform = usePlatform();
  const [, go] = useLocation();
  const { signedIn, signOut, reread } = useSession();
  const [asked, ask] = useState<"password" | "email" | "delete">();
  const [token, setToken] = useState(() => takeToken("email"));
  const close = () => ask(undefined);
  const { person } = signedIn;
  return (
    <Stack gap="lg">
      <PageHeader title={texts.title} lead={texts.lead}>
        <Group gap="xs">
          <Button variant="default" onClick={() => ask("email")}>
            {texts.changeEmail}
          </Button>
          <Button variant="default" onClick={() => ask("password")}>
            {texts.changePassword}
          </Button>
        </Group>
      </PageHeader>
      <Facts
        facts={[
          { label: texts.name, value: person?.display_name },
          { label: texts.email, value: <span className="ar-break">{person?.email}</span> },
        ]}
      />
      <OwnSessionsPanel queryKey={sessionsKey} calls={platform} />
      <Panel title={texts.deleteTitle}>
        <Stack align="flex-start">
          <Text>{texts.deleteText}</Text>
          <Button variant="default" className="ar-danger" onClick={() => ask("delete")}>
            {texts.deleteAction}
          </Button>
        </Stack>
      </Panel>
      {asked === "password" && <PasswordDialog close={close} />}
      {asked === "email" && <EmailDialog close={close} />}
      {token !== undefined && (
        <FormDialog
          title={texts.confirmTitle}
          action={texts.confirmAction}
          close={() => setToken(undefined)}
          send={async () => {
            const { email } = await platform.confirmEmail(token);
            await reread();
            notify(texts.emailChanged(email));
          }}
        >
          <Text>{texts.confirmText}</Text>
        </FormDialog>
      )}
      <Confirm
        opened={asked === "delete"}
        title={texts.deleteTitle}
        text={
          <>
            {texts.deleteText}
            {asked === "delete" && <OwnKeys email={person?.email ?? ""} />}
          </>
        }
        action={texts.deleteAction}
        typed={person?.email ?? ""}
        onClose={close}
        onConfirm={async () => {
          await platform.deleteAccount();
          await signOut();
          go("/");
        }}
      />
    </Stack>
  );
}

/** The API keys that end with the account. */
function OwnKeys({ email }: { email: string }) {
  const platform = usePlatform();
  const query = useQuery({
    queryKey: ["platform", "account", "keys", email],
    queryFn: () => keysMadeBy(platform, email),
  });
  return (
    <Loaded query={query} rows={1}>
      {(keys) =>
        keys.length > 0 && (
          <ul className="ar-break" aria-label={texts.revokedKeys}>
            {keys.map((key, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list never changes
              <li key={index}>{key}</li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
