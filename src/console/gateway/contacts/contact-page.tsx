import { Anchor, Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import type { Contact } from "../../../contracts/gateway/contacts.ts";
import { includesRole } from "../../../contracts/platform/tenant-rights.ts";
import { refusalOf } from "../../../contracts/refusal.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { Facts } from "../../parts/layout/facts.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { useExisting } from "../../parts/states/use-existing.ts";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { TenantName } from "../../tenants/tenant-name.tsx";
import { contactTexts as texts } from "../../texts/gateway/contacts.ts";
import { ChannelLabel } from "../channel-label.tsx";
import { gatewayPaths } from "../gateway-paths.ts";
import { useDesk, useGateway } from "../use-gateway.ts";
import { nameOf } from "./contacts-page.tsx";

/** One contact: its addresses, notes and conversations, and the way to forget it. */
export default function ContactPage() {
  const { id = "" } = useParams<{ id: string }>();
  const gateway = useGateway();
  const desk = useDesk();
  const mayForget = desk === undefined || includesRole(desk.role, "admin");
  const query = useExisting(
    useQuery({ queryKey: ["gateway", "contact", id], queryFn: () => gateway.getContact(id) }),
  );
  const up = { href: gatewayPaths.contacts, label: texts.title };
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
        title={query.data === undefined ? texts.title : nameOf(query.data)}
        up={up}
        lead={query.data && <ChannelLabel channel={query.data.channel} />}
      >
        {query.data && mayForget && <ForgetButton contact={query.data} />}
      </PageHeader>
      <Loaded query={query}>
        {(contact) => (
          <div className="ar-stack">
            <Panel title={texts.about}>
              <Facts facts={factsOf(contact)} />
            </Panel>
            <Panel title={texts.conversations}>
              <Conversations contact={contact} />
            </Panel>
            <Panel title={texts.notes}>
              <Notes contact={contact} />
            </Panel>
          </div>
        )}
      </Loaded>
    </>
  );
}

const factsOf = ({ addresses, labels, tenant_id, created_at }: Contact) => [
  ...addresses.map(({ kind, value, seen_at }) => ({
    label: texts.kinds[kind],
    value: (
      <span>
        <bdi className="ar-break">{escapeUnseenName(value)}</bdi>{" "}
        <span className="ar-soft">
          {texts.seen} <Instant iso={seen_at} />
        </span>
      </span>
    ),
  })),
  ...(labels.length === 0 ? [] : [{ label: texts.labels, value: labels.map(escapeUnseenName).join(", ") }]),
  { label: texts.tenant, value: <TenantName id={tenant_id} /> },
  { label: texts.created, value: <Instant iso={created_at} /> },
];

function Conversations({ contact: { conversations } }: { contact: Contact }) {
  if (conversations.length === 0) return <span className="ar-soft">{texts.noConversations}</span>;
  return (
    <ul>
      {conversations.map((id, place) => (
        <li key={id}>
          <Anchor component={Link} href={gatewayPaths.conversation(id)}>
            {texts.conversation(place + 1)}
          </Anchor>
        </li>
      ))}
    </ul>
  );
}

function Notes({ contact: { notes } }: { contact: Contact }) {
  if (notes.length === 0) return <span className="ar-soft">{texts.noNotes}</span>;
  return (
    <ul>
      {notes.map(({ id, by, text, at }) => (
        <li key={id}>
          <span className="ar-break">{text}</span>{" "}
          <span className="ar-soft">
            <bdi>{by === null ? texts.nobody : escapeUnseenName(by)}</bdi> <Instant iso={at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function ForgetButton({ contact }: { contact: Contact }) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [isAsked, ask] = useState(false);
  const forget = async () => {
    const { pending } = await gateway.forgetContact(contact.id);
    notify(pending ? texts.forgottenLater : texts.forgotten);
    go(gatewayPaths.contacts);
    queries.removeQueries({ queryKey: ["gateway", "contact", contact.id] });
    await queries.invalidateQueries({ queryKey: ["gateway"] });
  };
  return (
    <>
      <Button variant="default" onClick={() => ask(true)}>
        {texts.forget}
      </Button>
      <Confirm
        opened={isAsked}
        onClose={() => ask(false)}
        title={texts.forgetTitle(nameOf(contact))}
        text={texts.forgetText(contact.conversations.length)}
        action={texts.forget}
        onConfirm={forget}
      />
    </>
  );
}
