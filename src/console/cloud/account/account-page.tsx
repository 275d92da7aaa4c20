import { Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { Facts } from "../../parts/layout/facts.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { OwnSessionsPanel } from "../../parts/own-sessions-panel.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { useSession } from "../../session/session.tsx";
import { accountTexts as texts } from "../../texts/cloud/org.ts";
import { cloudPath } from "../cloud-paths.ts";
import { useCloud } from "../use-cloud.ts";

/** The person's own account of the cloud: its sessions, and its end. */
export default function AccountPage() {
  const cloud = useCloud();
  const [, go] = useLocation();
  const { reread } = useSession();
  const [isDeleting, setDeleting] = useState(false);
  const query = useQuery({ queryKey: ["cloud", "me"], queryFn: () => cloud.me() });
  return (
    <Stack gap="lg">
      <PageHeader title={texts.title} lead={texts.lead} />
      <Loaded query={query} rows={2}>
        {({ name, email }) => (
          <Facts
            facts={[
              { label: texts.name, value: name },
              { label: texts.email, value: <span className="ar-break">{email}</span> },
            ]}
          />
        )}
      </Loaded>
      <OwnSessionsPanel queryKey={["cloud", "me", "sessions"]} calls={cloud} />
      <Panel title={texts.deleteTitle}>
        <Stack align="flex-start">
          <Text>{texts.deleteText}</Text>
          <Button variant="default" className="ar-danger" onClick={() => setDeleting(true)}>
            {texts.deleteAction}
          </Button>
        </Stack>
      </Panel>
      <Confirm
        opened={isDeleting}
        title={texts.deleteTitle}
        text={texts.deleteText}
        action={texts.deleteAction}
        typed={query.data?.email ?? ""}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await cloud.deleteAccount();
          await reread();
          notify(texts.deleted);
          go(cloudPath);
        }}
      />
    </Stack>
  );
}
