import { Alert, Anchor, Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { channelNames } from "../../../contracts/gateway/channels.ts";
import type { DirectoryEntry } from "../../../contracts/gateway/directory.ts";
import { useUrlFields } from "../../parts/address/use-url-state.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import type { Column } from "../../parts/tables/data-table.tsx";
import { OffsetTable } from "../../parts/tables/offset-table.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { TenantName } from "../../tenants/tenant-name.tsx";
import { accountTexts as texts } from "../../texts/gateway/accounts.ts";
import { ChannelLabel } from "../channel-label.tsx";
import { GatewayFilters, useGatewayFilter } from "../gateway-filters.tsx";
import { gatewayPaths } from "../gateway-paths.ts";
import { directoryKey } from "../use-directory.ts";
import { useGateway } from "../use-gateway.ts";
import { AccountDialog } from "./account-dialog.tsx";
import { AccountBadge, accountState } from "./account-state.tsx";
import { useSetup } from "./use-setup.ts";

/** All accounts, with who answers each. */
export default function AccountsPage() {
  const gateway = useGateway();
  const filter = useGatewayFilter();
  const setup = useSetup();
  const [isAdding, setAdding] = useState(false);
  const [{ new: asked, of: tenant, agent }, ask] = useUrlFields(["new", "of", "agent"]);
  const channel = channelNames.find((name) => name === asked);
  const isFiltered = Object.keys(filter).length > 0;
  const newest = useQuery({
    queryKey: [...directoryKey, "any"],
    queryFn: () => gateway.directory({ limit: 1 }),
  });
  const hasAny = (newest.data?.total ?? 0) > 0;
  const add = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
      {texts.add}
    </Button>
  );
  const columns: readonly Column<DirectoryEntry>[] = [
    {
      id: "account",
      header: texts.externalId,
      width: "minmax(120px, 1.4fr)",
      cell: ({ account }) => (
        <Anchor component={Link} href={gatewayPaths.account(account.id)}>
          {account.external_id}
        </Anchor>
      ),
    },
    {
      id: "status",
      header: texts.status,
      width: "120px",
      cell: (entry) => <AccountBadge state={accountState(entry, setup.data)} />,
    },
    {
      id: "channel",
      header: texts.channel,
      width: "120px",
      from: "sm",
      cell: ({ account }) => <ChannelLabel channel={account.channel} />,
    },
    {
      id: "answered",
      header: texts.answeredBy,
      width: "minmax(110px, 1fr)",
      from: "md",
      cell: ({ binding }) => <Answerer binding={binding} />,
    },
    {
      id: "tenant",
      header: texts.tenant,
      width: "minmax(100px, 1fr)",
      from: "lg",
      cell: ({ account }) => <TenantName id={account.tenant_id} />,
    },
    {
      id: "emulated",
      header: texts.emulated,
      width: "100px",
      from: "md",
      cell: ({ account }) =>
        account.emulated ? <StatusBadge tone="accent">{texts.emulated}</StatusBadge> : "–",
    },
    {
      id: "created",
      header: texts.created,
      width: "110px",
      from: "lg",
      cell: ({ account }) => <Instant iso={account.created_at} />,
    },
  ];
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        {hasAny && add}
      </PageHeader>
      {setup.data?.seals === false && (
        <Alert variant="outline" className="ar-warning" mb="md" icon={<Icon name="warn" />}>
          {texts.seals}
        </Alert>
      )}
      {(hasAny || isFiltered) && <GatewayFilters />}
      <OffsetTable
        label={texts.title}
        columns={columns}
        queryKey={[...directoryKey, "list", filter]}
        read={(page) => gateway.directory({ ...filter, ...page })}
        rowsOf={({ entries }) => entries}
        keyOf={({ account }) => account.id}
        empty={
          isFiltered ? (
            <EmptyState text={texts.noMatch} />
          ) : (
            <EmptyState title={texts.noneTitle} text={texts.none}>
              <Group justify="center">
                {add}
                <Button component={Link} href={gatewayPaths.phone()} variant="default">
                  {texts.tryPhone}
                </Button>
              </Group>
            </EmptyState>
          )
        }
      />
      {(isAdding || channel !== undefined) && (
        <AccountDialog
          {...(channel !== undefined && { begun: { channel, tenant, agent } })}
          close={() => {
            setAdding(false);
            // After a save, the account's own page has followed, with an address of its own.
            const isHere = location.pathname === gatewayPaths.accounts;
            if (channel !== undefined && isHere) ask({ new: "", of: "", agent: "" });
          }}
        />
      )}
    </>
  );
}

function Answerer({ binding }: Pick<DirectoryEntry, "binding">) {
  if (binding === null) return <span className="ar-soft">{texts.nobody}</span>;
  if (binding.config.callback_url !== undefined) {
    return (
      <span title={binding.config.callback_url}>
        {texts.callback} <span className="ar-soft">{hostOf(binding.config.callback_url)}</span>
      </span>
    );
  }
  return <span>{binding.entry_agent}</span>;
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
