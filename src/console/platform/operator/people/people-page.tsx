import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AccountLink, EmailChange } from "../../../../contracts/platform/auth.ts";
import { SecretDialog } from "../../../parts/dialogs/secret-dialog.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { RowButton } from "../../../parts/tables/row-button.tsx";
import { Instant } from "../../../parts/text/instant.tsx";
import { peopleTexts as texts } from "../../../texts/platform/operator.ts";
import { usePlatform } from "../../use-platform.ts";
import { LinkOnce } from "../link-once.tsx";
import { ResetPasswordDialog } from "../tenants/reset-password-dialog.tsx";

const queryKey = ["platform", "admin", "email-changes"];

/** What an operator does for people: links for passwords, and for e-mail addresses that they ask for. */
export default function PeoplePage() {
  const platform = usePlatform();
  const queries = useQueryClient();
  const query = useQuery({ queryKey, queryFn: () => platform.listEmailChanges() });
  const [confirmed, confirm] = useState<EmailChange>();
  return (
    <Stack gap="lg">
      <PageHeader title={texts.title} lead={texts.lead} />
      <ResetPanel />
      <Panel title={texts.changes} flush>
        <Loaded query={query} rows={2}>
          {({ changes }) =>
            changes.length === 0 ? (
              <EmptyState title={texts.noneTitle} text={texts.none} />
            ) : (
              <PlainTable
                label={texts.changes}
                columns={columnsFor(confirm)}
                rows={changes}
                keyOf={({ user_id }) => user_id}
              />
            )
          }
        </Loaded>
      </Panel>
      {confirmed !== undefined && (
        <SecretDialog<AccountLink>
          title={(link) => (link === undefined ? texts.linkTitle(confirmed.new_email) : texts.doneTitle)}
          action={texts.linkAction}
          create={() => platform.issueEmailLink(confirmed.user_id)}
          created={() => queries.invalidateQueries({ queryKey })}
          close={() => confirm(undefined)}
          shown={(link) => <LinkOnce link={link} texts={texts} close={() => confirm(undefined)} />}
        >
          <Text className="ar-break">{texts.linkText(confirmed.new_email)}</Text>
        </SecretDialog>
      )}
    </Stack>
  );
}

function ResetPanel() {
  const [email, setEmail] = useState("");
  const [isAsked, setAsked] = useState(false);
  return (
    <Panel title={texts.resetFor}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(true);
        }}
      >
        <Group align="flex-end">
          <TextInput
            label={texts.email}
            type="email"
            required
            maxLength={320}
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            {texts.next}
          </Button>
        </Group>
      </form>
      {isAsked && <ResetPasswordDialog email={email.trim()} close={() => setAsked(false)} />}
    </Panel>
  );
}

const columnsFor = (confirm: (change: EmailChange) => void): PlainColumn<EmailChange>[] => [
  { id: "present", header: texts.present, className: "ar-break", cell: ({ email }) => email },
  { id: "wanted", header: texts.wanted, className: "ar-break", cell: ({ new_email }) => new_email },
  {
    id: "expires",
    header: texts.expires,
    from: "md",
    cell: ({ expires_at }) => <Instant iso={expires_at} />,
  },
  {
    id: "actions",
    header: texts.actions,
    hidesHeader: true,
    align: "end",
    cell: (change) => (
      <RowButton
        label={texts.link}
        title={texts.linkTitle(change.new_email)}
        onClick={() => confirm(change)}
      />
    ),
  },
];
