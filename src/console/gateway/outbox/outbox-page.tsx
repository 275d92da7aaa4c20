import { Anchor, Group, SegmentedControl } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import type { OutboxEntry } from "../../../contracts/gateway/admin.ts";
import { messageStatuses } from "../../../contracts/gateway/messages.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { notify } from "../../parts/notices.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import type { Column } from "../../parts/tables/data-table.tsx";
import { OffsetTable } from "../../parts/tables/offset-table.tsx";
import { RowButton } from "../../parts/tables/row-button.tsx";
import { formatCompact } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { inboxTexts } from "../../texts/gateway/inbox.ts";
import { outboxTexts as texts } from "../../texts/gateway/outbox.ts";
import { ChannelLabel } from "../channel-label.tsx";
import { useFollow } from "../follow-gateway.ts";
import { GatewayFilters, useGatewayFilter } from "../gateway-filters.tsx";
import { gatewayPaths } from "../gateway-paths.ts";
import { LiveMark } from "../live-mark.tsx";
import { useDesk, useGateway } from "../use-gateway.ts";
import { plainReason } from "./plain-reason.ts";

/** Outbound messages by status, with the reasons of failures. */
export default function OutboxPage() {
  const gateway = useGateway();
  const queries = useQueryClient();
  const filter = useGatewayFilter();
  const [shown, show] = useUrlState("status");
  const status = messageStatuses.find((name) => name === shown);
  const wanted = shown === undelivered ? { delivery_status: "failed" as const } : status && { status };
  const desk = useDesk();
  const stats = useQuery({
    queryKey: ["gateway", "stats", filter.tenant ?? "", 1],
    queryFn: () => gateway.stats({ days: 1, ...(filter.tenant !== undefined && { tenant: filter.tenant }) }),
    // For operators alone.
    enabled: desk === undefined,
  });
  const changed = () => queries.invalidateQueries({ queryKey: ["gateway"] });
  const live = useFollow((events) =>
    events.some(({ about }) => about === "outbound" || about === "stream") ? changed() : undefined,
  );
  const retry = useMutation({
    mutationFn: gateway.retryMessage,
    onSuccess: () => {
      notify(texts.retried);
      return changed();
    },
  });
  const countOf = (name: string) => countText(stats.data?.outbox_by_status[name]);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} mark={<LiveMark state={live} />} />
      <GatewayFilters>
        <SegmentedControl
          size="xs"
          className="ar-gw-views"
          aria-label={texts.view}
          value={wanted === undefined ? "all" : (status ?? undelivered)}
          data={[
            { value: "all", label: texts.all },
            ...messageStatuses.map((value) => ({
              value,
              label: `${texts.statuses[value]}${countOf(value)}`,
            })),
            {
              value: undelivered,
              label: `${texts.delivery.failed}${countText(stats.data?.undelivered || undefined)}`,
            },
          ]}
          onChange={(value) => show(value === "all" ? "" : value)}
        />
      </GatewayFilters>
      {retry.isError && <FailureView thrown={retry.error} />}
      <OffsetTable
        label={texts.title}
        columns={columnsFor((id) => retry.mutate(id))}
        queryKey={["gateway", "outbox", filter, wanted ?? ""]}
        read={(page) => gateway.listOutbox({ ...filter, ...wanted, ...page })}
        rowsOf={({ entries }) => entries}
        keyOf={({ message_id }) => message_id}
        empty={
          <EmptyState
            text={
              Object.keys(filter).length > 0
                ? texts.noMatch
                : wanted === undefined
                  ? texts.none
                  : texts.noneStatus
            }
          />
        }
      />
    </>
  );
}

/** View of the messages that were accepted and then refused. */
const undelivered = "undelivered";
const countText = (count: number | undefined) => (count === undefined ? "" : ` ${formatCompact(count)}`);

const columnsFor = (retry: (id: string) => void): readonly Column<OutboxEntry>[] => [
  {
    id: "status",
    header: texts.status,
    width: "100px",
    cell: (entry) => <StatusBadge tone={toneOf(entry)}>{statusOf(entry)}</StatusBadge>,
  },
  {
    id: "message",
    header: texts.message,
    width: "minmax(70px, 1.2fr)",
    cell: (entry) => <span title={textOf(entry)}>{textOf(entry)}</span>,
  },
  {
    id: "reason",
    header: texts.reason,
    width: "minmax(120px, 1.8fr)",
    from: "md",
    cell: (entry) => <Reason entry={entry} />,
  },
  {
    id: "to",
    header: texts.to,
    width: "minmax(90px, 0.8fr)",
    from: "sm",
    cell: ({ recipient }) => <span title={recipient}>{recipient}</span>,
  },
  {
    id: "channel",
    header: texts.channel,
    width: "112px",
    from: "lg",
    cell: ({ channel }) => <ChannelLabel channel={channel} />,
  },
  {
    id: "created",
    header: texts.created,
    width: "100px",
    from: "md",
    cell: ({ created_at }) => <Instant iso={created_at} />,
  },
  {
    id: "actions",
    header: texts.actions,
    hidesHeader: true,
    width: "124px",
    cell: ({ message_id, status, delivery_status, recipient }) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        {(status === "failed" || (status === "sent" && delivery_status === "failed")) && (
          <RowButton
            label={texts.retry}
            title={texts.retryOne(recipient)}
            onClick={() => retry(message_id)}
          />
        )}
        <Anchor
          component={Link}
          size="sm"
          href={gatewayPaths.trail(message_id)}
          aria-label={texts.trailOf(recipient)}
        >
          {texts.trail}
        </Anchor>
      </Group>
    ),
  },
];

function Reason({ entry: { last_error, next_retry_at, status, delivery_status } }: { entry: OutboxEntry }) {
  // An error of an earlier try is overcome once the message is sent, unless it is the delivery's.
  const isOvercome = status === "sent" && delivery_status !== "failed" && delivery_status !== "resent";
  if (last_error === null || isOvercome) return <span className="ar-soft">–</span>;
  const { text, advice, detail } = plainReason(last_error);
  return (
    <span title={[text, advice, detail].filter((part) => part !== undefined).join("\n")}>
      {text}
      {next_retry_at !== null && (
        <span className="ar-soft">
          {" "}
          <Instant iso={next_retry_at} />
        </span>
      )}
    </span>
  );
}

const tones: Readonly<Record<OutboxEntry["status"], Tone>> = {
  pending: "warn",
  sending: "accent",
  sent: "good",
  failed: "bad",
};

const toneOf = ({ status, delivery_status }: OutboxEntry): Tone =>
  delivery_status === "failed" ? "bad" : tones[status];

const statusOf = ({ status, delivery_status }: OutboxEntry): string =>
  status === "sent" && delivery_status !== null
    ? (texts.delivery[delivery_status] ?? delivery_status)
    : texts.statuses[status];

function textOf({ payload: { text, media, template } }: OutboxEntry): string {
  if (template !== undefined) return texts.template(template.name);
  const said = text ?? media?.caption ?? "";
  return media === undefined ? said : `[${inboxTexts.kindOf(media.kind)}] ${said}`.trim();
}
