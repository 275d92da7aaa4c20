import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { Contact } from "../../../contracts/gateway/contacts.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import type { Column } from "../../parts/tables/data-table.tsx";
import { OffsetTable } from "../../parts/tables/offset-table.tsx";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { TenantName } from "../../tenants/tenant-name.tsx";
import { contactTexts as texts } from "../../texts/gateway/contacts.ts";
import { ChannelLabel } from "../channel-label.tsx";
import { GatewayFilters, useGatewayFilter } from "../gateway-filters.tsx";
import { gatewayPaths } from "../gateway-paths.ts";
import { SearchField } from "../search-field.tsx";
import { useGateway } from "../use-gateway.ts";

/** All contacts, found by name and number. */
export default function ContactsPage() {
  const gateway = useGateway();
  const filter = useGatewayFilter();
  const [q, search] = useUrlState("q");
  const wanted = { ...filter, ...(q !== "" && { q }) };
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <GatewayFilters>
        <SearchField label={texts.search} value={q} change={search} />
      </GatewayFilters>
      <OffsetTable
        label={texts.title}
        columns={columns}
        queryKey={["gateway", "contacts", wanted]}
        read={(page) => gateway.listContacts({ ...wanted, ...page })}
        rowsOf={({ contacts }) => contacts}
        keyOf={({ id }) => id}
        empty={<EmptyState text={Object.keys(wanted).length > 0 ? texts.noMatch : texts.none} />}
      />
    </>
  );
}

const columns: readonly Column<Contact>[] = [
  {
    id: "name",
    header: texts.name,
    width: "minmax(110px, 1fr)",
    cell: (contact) => (
      <Anchor component={Link} href={gatewayPaths.contact(contact.id)}>
        <bdi>{nameOf(contact)}</bdi>
      </Anchor>
    ),
  },
  {
    id: "addresses",
    header: texts.address,
    width: "minmax(120px, 1.6fr)",
    from: "sm",
    cell: ({ addresses }) => {
      const all = addresses.map(({ value }) => escapeUnseenName(value)).join(", ");
      return <span title={all}>{all}</span>;
    },
  },
  {
    id: "channel",
    header: texts.channel,
    width: "120px",
    from: "md",
    cell: ({ channel }) => <ChannelLabel channel={channel} />,
  },
  {
    id: "tenant",
    header: texts.tenant,
    width: "minmax(100px, 1fr)",
    from: "lg",
    cell: ({ tenant_id }) => <TenantName id={tenant_id} />,
  },
  {
    id: "created",
    header: texts.created,
    width: "110px",
    from: "md",
    cell: ({ created_at }) => <Instant iso={created_at} />,
  },
];

/** The contact's name, or else its newest address. */
export const nameOf = ({ name, addresses: [first] }: Contact): string =>
  escapeUnseenName(name ?? first?.value ?? texts.unnamed);
