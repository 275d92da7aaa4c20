import { Anchor, Button, Group, SegmentedControl } from "@mantine/core";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import type { GatewayStats } from "../../../contracts/gateway/admin.ts";
import { type ChannelName, channelNames } from "../../../contracts/gateway/channels.ts";
import type { GatewayChange } from "../../../contracts/gateway/events.ts";
import { messageStatuses } from "../../../contracts/gateway/messages.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatNumber, formatPercent, formatShortDay } from "../../parts/text/format.ts";
import { outboxTexts } from "../../texts/gateway/outbox.ts";
import { statsTexts as texts } from "../../texts/gateway/stats.ts";
import { ChannelLabel } from "../channel-label.tsx";
import { useFollow } from "../follow-gateway.ts";
import { GatewayFilters, useGatewayFilter } from "../gateway-filters.tsx";
import { gatewayPaths } from "../gateway-paths.ts";
import { LiveMark } from "../live-mark.tsx";
import { useGateway } from "../use-gateway.ts";

const ranges = [7, 30, 90] as const;

/** Changes after which the figures are others, or may be. */
const counted: ReadonlySet<GatewayChange> = new Set(["open", "received", "queued", "failed"]);

/** The gateway's figures and charts. */
export default function StatsPage() {
  const gateway = useGateway();
  const queries = useQueryClient();
  const { tenant } = useGatewayFilter();
  const [chosen, choose] = useUrlState("days");
  const days = ranges.find((range) => String(range) === chosen) ?? 7;
  const query = useQuery({
    queryKey: ["gateway", "stats", tenant ?? "", days],
    queryFn: () => gateway.stats({ days, ...(tenant !== undefined && { tenant }) }),
    placeholderData: keepPreviousData,
  });
  const live = useFollow((events) =>
    events.some(({ change }) => counted.has(change))
      ? queries.invalidateQueries({ queryKey: ["gateway", "stats"] })
      : undefined,
  );
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} mark={<LiveMark state={live} />} />
      <GatewayFilters tenantOnly>
        <SegmentedControl
          size="xs"
          className="ar-gw-views"
          aria-label={texts.range}
          value={String(days)}
          data={ranges.map((range) => ({ value: String(range), label: texts.days(range) }))}
          onChange={(value) => choose(value === "7" ? "" : value)}
        />
      </GatewayFilters>
      <Loaded query={query}>{(stats) => <Stats stats={stats} isFiltered={tenant !== undefined} />}</Loaded>
    </>
  );
}

function Stats({ stats, isFiltered }: { stats: GatewayStats; isFiltered: boolean }) {
  const { messages_per_day: perDay, outbox_by_status: byStatus, messages_by_channel: byChannel } = stats;
  const sum = (side: "inbound" | "outbound") => perDay.reduce((total, day) => total + day[side], 0);
  const hasAny = sum("inbound") + sum("outbound") > 0;
  const isNew = !hasAny && Object.keys(byStatus).length === 0 && !isFiltered;
  if (isNew) {
    return (
      <EmptyState title={texts.noneTitle} text={texts.noneYet}>
        <Group justify="center">
          <Button component={Link} href={gatewayPaths.accounts}>
            {texts.connect}
          </Button>
          <Button component={Link} href={gatewayPaths.phone()} variant="default">
            {texts.tryPhone}
          </Button>
        </Group>
      </EmptyState>
    );
  }
  const failed = byStatus.failed ?? 0;
  return (
    <div className="ar-stack">
      <Figures
        figures={[
          { label: texts.active, value: formatNumber(stats.active_conversations) },
          { label: texts.inbound, value: formatNumber(sum("inbound")) },
          { label: texts.outbound, value: formatNumber(sum("outbound")) },
          { label: texts.waiting, value: formatNumber((byStatus.pending ?? 0) + (byStatus.sending ?? 0)) },
          {
            label: texts.failed,
            value: formatNumber(failed),
            ...(failed > 0 && {
              note: (
                <Anchor component={Link} size="xs" href={`${gatewayPaths.outbox}?status=failed`}>
                  {texts.openOutbox}
                </Anchor>
              ),
            }),
          },
        ]}
      />
      <Panel title={texts.perDay}>
        {hasAny ? (
          <TimeChart
            label={texts.perDay}
            data={perDay.map(({ date, inbound, outbound }) => ({
              label: formatShortDay(date),
              inbound,
              outbound,
            }))}
            series={[
              { name: "inbound", label: texts.inbound, color: "sea.5" },
              { name: "outbound", label: texts.outbound, color: "brass.4" },
            ]}
            height={240}
          />
        ) : (
          <EmptyState text={texts.none} />
        )}
      </Panel>
      <div className="ar-columns">
        <Panel title={texts.byChannel} flush>
          <ShareTable
            label={texts.byChannel}
            head={texts.channel}
            rows={channelNames
              .filter((name) => (byChannel[name] ?? 0) > 0)
              .map((name: ChannelName) => ({
                id: name,
                name: <ChannelLabel channel={name} />,
                count: byChannel[name] ?? 0,
              }))}
          />
        </Panel>
        <Panel title={texts.byStatus} flush>
          <ShareTable
            label={texts.byStatus}
            head={texts.status}
            rows={messageStatuses
              .filter((name) => (byStatus[name] ?? 0) > 0)
              .map((name) => ({
                id: name,
                name: (
                  <Anchor component={Link} href={`${gatewayPaths.outbox}?status=${name}`}>
                    {outboxTexts.statuses[name]}
                  </Anchor>
                ),
                count: byStatus[name] ?? 0,
              }))}
          />
        </Panel>
      </div>
    </div>
  );
}

interface ShareRow {
  id: string;
  name: React.ReactNode;
  count: number;
}

/** Counts with their share of the sum. */
function ShareTable({ label, head, rows }: { label: string; head: string; rows: readonly ShareRow[] }) {
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  return (
    <PlainTable
      label={label}
      keyOf={({ id }) => id}
      rows={rows.toSorted((a, b) => b.count - a.count)}
      empty={<p className="ar-soft ar-panel-body">{texts.none}</p>}
      columns={[
        { id: "name", header: head, cell: ({ name }) => name },
        {
          id: "count",
          header: texts.messages,
          align: "end",
          cell: ({ count }) => formatNumber(count),
        },
        {
          id: "share",
          header: texts.share,
          align: "end",
          cell: ({ count }) => formatPercent(total === 0 ? 0 : count / total),
        },
      ]}
    />
  );
}
