import { Alert, Button, Group } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import type { DirectoryEntry } from "../../../contracts/gateway/directory.ts";
import { refusalOf } from "../../../contracts/refusal.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { Icon } from "../../parts/icon.tsx";
import { type Fact, Facts } from "../../parts/layout/facts.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { useExisting } from "../../parts/states/use-existing.ts";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { IdText } from "../../parts/text/id-text.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { TenantName } from "../../tenants/tenant-name.tsx";
import { channelVariables, credentialTexts, accountTexts as texts } from "../../texts/gateway/accounts.ts";
import { channelTexts } from "../../texts/gateway/gateway.ts";
import { partTexts } from "../../texts/parts.ts";
import { ChannelLabel } from "../channel-label.tsx";
import { gatewayPaths } from "../gateway-paths.ts";
import { directoryKey } from "../use-directory.ts";
import { useGateway } from "../use-gateway.ts";
import { AccountDialog } from "./account-dialog.tsx";
import { AccountBadge, accountState } from "./account-state.tsx";
import { AccountWebhookPanel } from "./account-webhook.tsx";
import { BindingPanel } from "./binding-panel.tsx";
import { useSetup } from "./use-setup.ts";

type Asked = "pause" | "remove" | "replace";

/** One account: its state, webhook, credentials and binding. */
export default function AccountPage() {
  const { id = "" } = useParams<{ id: string }>();
  const gateway = useGateway();
  const setup = useSetup();
  const query = useExisting(
    useQuery({
      queryKey: [...directoryKey, "one", id],
      queryFn: () => gateway.directoryEntry(id),
    }),
  );
  const up = { href: gatewayPaths.accounts, label: texts.title };
  if (query.data === undefined && refusalOf(query.error)?.status === 404) {
    return (
      <>
        <PageHeader title={texts.title} up={up} />
        <EmptyState text={texts.missing} />
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={query.data?.account.external_id ?? texts.title}
        up={up}
        lead={query.data && <ChannelLabel channel={query.data.account.channel} />}
        mark={query.data && <AccountBadge state={accountState(query.data, setup.data)} />}
      >
        {query.data && <AccountActions entry={query.data} />}
      </PageHeader>
      <Loaded query={query}>
        {(entry) => (
          <div className="ar-stack">
            <StateNote entry={entry} />
            <div className="ar-columns">
              <div className="ar-stack">
                <BindingPanel entry={entry} />
                <Panel title={texts.facts}>
                  <Facts facts={factsOf(entry)} />
                </Panel>
              </div>
              <AccountWebhookPanel account={entry.account} />
            </div>
          </div>
        )}
      </Loaded>
    </>
  );
}

/** Faults of the account, with advice. */
function StateNote({ entry }: { entry: DirectoryEntry }) {
  const setup = useSetup();
  const state = accountState(entry, setup.data);
  if (state === "healthy") return null;
  const text = {
    paused: entry.account.paused_reason ?? "",
    unbound: texts.stateHint.unbound,
    refused: texts.stateHint.refused(channelVariables[entry.account.channel]),
  }[state];
  return (
    <Alert variant="outline" className="ar-warning" icon={<Icon name="warn" />} title={texts.state[state]}>
      <span className="ar-break">{text}</span>
    </Alert>
  );
}

function AccountActions({ entry: { account } }: { entry: DirectoryEntry }) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [asked, ask] = useState<Asked>();
  const { id, external_id: name } = account;
  const changed = (text: string) => {
    notify(text);
    return queries.invalidateQueries({ queryKey: ["gateway"] });
  };
  const close = () => ask(undefined);
  return (
    <Group gap="xs">
      {account.emulated && (
        <Button component={Link} href={gatewayPaths.phone(id)} leftSection={<Icon name="phone" />}>
          {texts.openPhone}
        </Button>
      )}
      <Button variant="default" onClick={() => ask("replace")}>
        {texts.replace}
      </Button>
      {account.status === "paused" ? (
        <Button
          variant="default"
          onClick={async () => {
            await gateway.resumeAccount(id);
            await changed(texts.resumed(name));
          }}
        >
          {texts.resume}
        </Button>
      ) : (
        <Button variant="default" onClick={() => ask("pause")}>
          {texts.pause}
        </Button>
      )}
      <Button variant="default" className="ar-danger" onClick={() => ask("remove")}>
        {texts.remove}
      </Button>
      {asked === "replace" && <AccountDialog account={account} close={close} />}
      <Confirm
        opened={asked === "pause"}
        title={texts.pauseTitle(name)}
        text={texts.pauseText}
        action={texts.pause}
        onClose={close}
        onConfirm={async () => {
          await gateway.pauseAccount(id);
          await changed(texts.paused(name));
        }}
      />
      <Confirm
        opened={asked === "remove"}
        title={texts.removeTitle(name)}
        text={texts.removeText}
        action={texts.removeAction}
        typed={name}
        onClose={close}
        onConfirm={async () => {
          await gateway.deleteAccount(id);
          go(gatewayPaths.accounts);
          await changed(texts.removed(name));
        }}
      />
    </Group>
  );
}

function factsOf({ account }: DirectoryEntry): Fact[] {
  const code = (text: string) => (
    <>
      <span className="ar-mono">{text}</span> <CopyButton value={text} label={partTexts.copy} />
    </>
  );
  return [
    { label: texts.channel, value: channelTexts[account.channel] },
    { label: texts.tenant, value: <TenantName id={account.tenant_id} /> },
    { label: texts.externalId, value: code(account.external_id) },
    { label: texts.accountId, value: <IdText id={account.id} /> },
    ...Object.entries(account.credentials).map(([name, masked]) => ({
      label: credentialTexts[name]?.label.replace(/ \(.*\)$/, "") ?? name,
      value: <span className="ar-mono">{masked}</span>,
    })),
    { label: texts.created, value: <Instant iso={account.created_at} /> },
  ];
}
