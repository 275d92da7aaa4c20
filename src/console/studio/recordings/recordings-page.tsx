import { Anchor, Button, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { CassetteList } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type Column, DataTable } from "../../parts/tables/data-table.tsx";
import { formatBytes } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { recordingTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";
import { statusTones } from "./outcome.ts";

type Listed = CassetteList["cassettes"][number];

/** The daemon's limit for this list. */
const listedMax = 100;

const columns: readonly Column<Listed>[] = [
  {
    id: "query",
    header: texts.query,
    width: "minmax(110px, 2.4fr)",
    cell: ({ id, query }) => (
      <Anchor component={Link} href={`/studio/recordings/${encodeURIComponent(id)}`}>
        {query}
      </Anchor>
    ),
  },
  { id: "agent", header: texts.agent, width: "minmax(84px, 1fr)", cell: ({ agent }) => agent },
  {
    id: "status",
    header: texts.status,
    width: "minmax(80px, 0.8fr)",
    from: "sm",
    cell: ({ status, error }) => (
      <>
        <StatusBadge tone={statusTones[status]}>{texts.statuses[status]}</StatusBadge>{" "}
        {error !== undefined && <span className="ar-soft">{error}</span>}
      </>
    ),
  },
  {
    id: "calls",
    header: texts.calls,
    width: "64px",
    align: "end",
    from: "md",
    cell: ({ model_calls, tool_calls }) => `${model_calls} + ${tool_calls}`,
  },
  {
    id: "size",
    header: texts.size,
    width: "82px",
    align: "end",
    from: "md",
    cell: ({ bytes }) => formatBytes(bytes),
  },
  {
    id: "recorded",
    header: texts.recorded,
    width: "104px",
    align: "end",
    cell: ({ recorded_at }) => <Instant iso={recorded_at} />,
  },
];

export default function RecordingsPage() {
  const daemon = useDaemon();
  const [agent, setAgent] = useUrlState("agent");
  const agents = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  const query = useQuery({
    queryKey: ["daemon", "cassettes", "list", agent],
    queryFn: () => daemon.listCassettes({ limit: listedMax, ...(agent === "" ? {} : { agent }) }),
  });
  const names = new Set([...(agents.data?.agents ?? []).map(({ name }) => name), agent]);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button variant="default" loading={query.isRefetching} onClick={() => void query.refetch()}>
          {texts.refresh}
        </Button>
      </PageHeader>
      <Select
        label={texts.agent}
        placeholder={texts.anyAgent}
        data={[...names].filter((name) => name !== "")}
        value={agent === "" ? null : agent}
        onChange={(value) => setAgent(value ?? "")}
        clearable
        searchable
        clearButtonProps={{ "aria-label": texts.anyAgent }}
        maw={280}
        mb="sm"
      />
      <Loaded query={query} rows={8}>
        {({ cassettes }) => (
          <>
            <DataTable
              label={texts.title}
              columns={columns}
              rows={cassettes}
              keyOf={({ id }) => id}
              empty={
                <EmptyState text={texts.none}>
                  <Button component={Link} href="/studio/playground">
                    {texts.toPlayground}
                  </Button>
                </EmptyState>
              }
            />
            {cassettes.length === listedMax && <p className="ar-soft">{texts.newest(listedMax)}</p>}
          </>
        )}
      </Loaded>
    </>
  );
}
