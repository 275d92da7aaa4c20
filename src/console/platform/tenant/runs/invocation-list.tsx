import { Anchor, Group } from "@mantine/core";
import { Link } from "wouter";
import type { ListedInvocation } from "../../../../contracts/platform/observability.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { formatDuration, formatNumber } from "../../../parts/text/format.ts";
import { Instant } from "../../../parts/text/instant.tsx";
import { creditsText } from "../../../parts/text/money.ts";
import { SourceBadge, SourceSelect, sourceFilterOf } from "../../../quality/source-select.tsx";
import { invocationTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { InvocationBadge } from "../../invocation-badge.tsx";
import { usePlatform } from "../../use-platform.ts";
import { tenantPaths } from "../tenant-paths.ts";

/** An agent's runs, newest first; scrolling loads more. */
export function InvocationList({ tenantId, agent }: { tenantId: string; agent: string }) {
  const platform = usePlatform(tenantId);
  const [chosen, setSource] = useUrlState("source");
  const source = sourceFilterOf(chosen, "all");
  return (
    <>
      <Group mb="sm">
        <SourceSelect value={chosen} usual="all" change={setSource} />
      </Group>
      <CursorTable
        label={texts.list(agent)}
        columns={columnsFor((id) => tenantPaths(tenantId).invocation(agent, id))}
        queryKey={["platform", tenantId, "invocations", agent, source]}
        read={(page) => platform.agentStatus(agent, { ...page, source, texts: "true" })}
        rowsOf={({ invocations }) => invocations}
        keyOf={({ invocation_id }) => invocation_id}
        empty={<EmptyState text={chosen === "" ? texts.none : texts.noneLike} />}
      />
    </>
  );
}

function columnsFor(pathOf: (id: string) => string): Column<ListedInvocation>[] {
  return [
    {
      id: "time",
      header: texts.startedAt,
      width: "minmax(88px, 0.8fr)",
      cell: ({ invocation_id, started_at }) => (
        <Anchor component={Link} href={pathOf(invocation_id)}>
          <Instant iso={started_at} />
        </Anchor>
      ),
    },
    {
      id: "status",
      header: texts.statusHead,
      width: "minmax(100px, 1fr)",
      cell: ({ status, count, source }) => (
        <>
          <InvocationBadge status={status} /> <SourceBadge source={source} />
          {count > 1 && ` × ${formatNumber(count)}`}
        </>
      ),
    },
    {
      id: "question",
      header: texts.question,
      width: "minmax(90px, 1.8fr)",
      from: "md",
      cell: ({ question }) => question ?? "–",
    },
    {
      id: "answer",
      header: texts.answer,
      width: "minmax(90px, 1.8fr)",
      from: "lg",
      cell: ({ answer }) => answer ?? "–",
    },
    {
      id: "error",
      header: texts.error,
      width: "minmax(90px, 1fr)",
      from: "md",
      cell: ({ error_code, message }) =>
        error_code === null ? "" : <span title={message ?? undefined}>{error_code}</span>,
    },
    {
      id: "session",
      header: texts.session,
      width: "minmax(76px, 0.7fr)",
      from: "lg",
      cell: ({ session_id }) => <span className="ar-mono">{session_id}</span>,
    },
    {
      id: "duration",
      header: texts.duration,
      width: "84px",
      align: "end",
      from: "sm",
      cell: ({ duration_ms }) => (duration_ms === null ? "–" : formatDuration(duration_ms)),
    },
    {
      id: "tokens",
      header: texts.tokens,
      width: "84px",
      align: "end",
      from: "md",
      cell: ({ tokens_in, tokens_out }) => formatNumber(tokens_in + tokens_out),
    },
    {
      id: "credits",
      header: texts.credits,
      width: "84px",
      align: "decimal",
      cell: ({ credits_charged_micros, pricing_status }) =>
        pricing_status === "unpriced" ? texts.unpriced : creditsText(credits_charged_micros),
    },
  ];
}
