import { Anchor, Button, TextInput } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { Link } from "wouter";
import type { GatewayEvent } from "../../../contracts/gateway/events.ts";
import type { TrailMessage } from "../../../contracts/gateway/trail.ts";
import { refusalOf } from "../../../contracts/refusal.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { notify } from "../../parts/notices.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { readNextPage } from "../../parts/tables/list-pages.ts";
import { NextPageFailure } from "../../parts/tables/next-page.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { formatInstant } from "../../parts/text/format.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { trailTexts as texts } from "../../texts/gateway/trail.ts";
import { partTexts } from "../../texts/parts.ts";
import { ChannelLabel } from "../channel-label.tsx";
import { useFollow } from "../follow-gateway.ts";
import { gatewayPaths } from "../gateway-paths.ts";
import { useGateway } from "../use-gateway.ts";
import { TrailTimeline } from "./trail-timeline.tsx";

const pageMessages = 20;

/** The trail of the messages that an id or address names. */
export default function TrailPage() {
  const [id, setId] = useUrlState("id", { push: true });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <TrailForm id={id} find={setId} />
      {id === "" ? <EmptyState title={texts.startTitle} text={texts.start} /> : <Found key={id} id={id} />}
    </>
  );
}

function TrailForm({ id, find }: { id: string; find: (id: string) => void }) {
  const [typed, setTyped] = useState(id);
  useEffect(() => setTyped(id), [id]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    find(typed.trim());
  };
  return (
    <form className="ar-trail-form" onSubmit={submit}>
      <TextInput
        aria-label={texts.field}
        placeholder={texts.field}
        leftSection={<Icon name="search" />}
        maxLength={255}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button type="submit" disabled={typed.trim() === ""}>
        {texts.find}
      </Button>
    </form>
  );
}

function Found({ id }: { id: string }) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const query = useInfiniteQuery({
    queryKey: ["gateway", "trail", id],
    initialPageParam: 0,
    queryFn: ({ pageParam }) => gateway.trail(id, { limit: pageMessages, offset: pageParam }),
    getNextPageParam: ({ messages, limit, offset }) => (messages.length < limit ? undefined : offset + limit),
  });
  const messages = [
    ...new Map(
      query.data?.pages.flatMap(({ messages: some }) => some).map((message) => [message.message_id, message]),
    ).values(),
  ];
  useFollow((events) => {
    const shown = new Set(messages.map(({ message_id }) => message_id));
    const isNews = ({ about, message_id = "" }: GatewayEvent) => about === "stream" || shown.has(message_id);
    // Until the first read ends, any message may be one of these.
    return query.isPending || events.some(isNews)
      ? queries.invalidateQueries({ queryKey: ["gateway", "trail", id] })
      : undefined;
  });
  if (query.data === undefined && refusalOf(query.error)?.status === 404) {
    return <EmptyState title={texts.noneTitle} text={texts.none(id)} />;
  }
  return (
    <Loaded query={query}>
      {() => (
        <div className="ar-stack">
          <p className="ar-soft ar-flat">{texts.found(messages.length)}</p>
          {messages.map((message) => (
            <TrailCard key={message.message_id} message={message} />
          ))}
          <NextPageFailure query={query} />
          {query.hasNextPage && (
            <Button
              variant="default"
              loading={query.isFetchingNextPage}
              onClick={() => void readNextPage(query)}
            >
              {texts.more}
            </Button>
          )}
        </div>
      )}
    </Loaded>
  );
}

/** One message with all its events. */
function TrailCard({ message }: { message: TrailMessage }) {
  const { message_id, direction, channel, address, channel_message_id, events } = message;
  const conversation = events
    .map(({ details }) => details?.conversation)
    .find((found) => typeof found === "string");
  const [first] = events;
  const gateway = useGateway();
  const queries = useQueryClient();
  const retry = useMutation({
    mutationFn: () => gateway.retryEvent(message_id),
    onSuccess: () => {
      notify(texts.retried);
      return queries.invalidateQueries({ queryKey: ["gateway", "trail"] });
    },
  });
  return (
    <section className="ar-panel" aria-label={`${texts[direction]} ${message_id}`}>
      <div className="ar-panel-head ar-trail-head">
        <StatusBadge tone={direction === "inbound" ? "plain" : "accent"}>{texts[direction]}</StatusBadge>
        <ChannelLabel channel={channel} />
        {address !== null && (
          <Anchor component={Link} href={gatewayPaths.trail(address)} className="ar-break">
            {address}
          </Anchor>
        )}
        {first !== undefined && <time className="ar-soft">{formatInstant(first.at)}</time>}
        <span className="ar-panel-actions">
          {direction === "inbound" && events.at(-1)?.event === "parked" && (
            <Button size="compact-sm" loading={retry.isPending} onClick={() => retry.mutate()}>
              {texts.retry}
            </Button>
          )}
          {typeof conversation === "string" && (
            <Anchor component={Link} href={gatewayPaths.conversation(conversation)}>
              {texts.openConversation}
            </Anchor>
          )}
        </span>
      </div>
      <div className="ar-panel-body">
        {retry.isError && <FailureView thrown={retry.error} />}
        <TrailTimeline events={events} />
        <div className="ar-trail-ids ar-soft">
          <Id label={texts.messageId} value={message_id} />
          {channel_message_id !== null && <Id label={texts.providerId} value={channel_message_id} />}
        </div>
      </div>
    </section>
  );
}

const Id = ({ label, value }: { label: string; value: string }) => (
  <span>
    {label} <span className="ar-mono ar-break">{value}</span>{" "}
    <CopyButton value={value} label={`${partTexts.copy}: ${label}`} />
  </span>
);
