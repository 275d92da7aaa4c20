import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { HeldLease, OperatedWorker, WorkerReport } from "../../../contracts/daemon/operations.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { useDaemon } from "../../studio/use-daemon.ts";
import { workerTexts as texts } from "../../texts/operations/operations.ts";

/** The background workers of the process, and the leases in its databases. */
export default function WorkersPage() {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "workers"], queryFn: () => daemon.workers() });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {texts.refresh}
        </Button>
      </PageHeader>
      <Loaded query={query}>{(report) => <Report report={report} />}</Loaded>
    </>
  );
}

function Report({ report: { node, shared, workers, leases } }: { report: WorkerReport }) {
  const running = workers.filter(({ status }) => status === "running").length;
  const failures = workers.reduce((sum, worker) => sum + worker.failures, 0);
  return (
    <div className="ar-stack">
      <Figures
        figures={[
          { label: texts.running, value: formatNumber(running), note: texts.ofAll(workers.length) },
          { label: texts.failures, value: formatNumber(failures) },
          { label: texts.heldLeases, value: formatNumber(leases.filter(({ held }) => held).length) },
          ...(node === null ? [] : [{ label: texts.node, value: node }]),
        ]}
      />
      <Panel title={texts.title} flush>
        <WorkerTable workers={workers} />
      </Panel>
      <Panel title={texts.leases} flush={leases.length > 0}>
        <LeaseTable leases={leases} />
        {shared && <p className="ar-soft">{texts.shared}</p>}
      </Panel>
    </div>
  );
}

const none = <span className="ar-soft">–</span>;

const tones: Readonly<Record<OperatedWorker["status"], Tone>> = {
  idle: "plain",
  running: "good",
  stuck: "bad",
  waiting: "bad",
  stopped: "plain",
};

const WorkerTable = ({ workers }: { workers: readonly OperatedWorker[] }) => (
  <PlainTable
    label={texts.title}
    rows={workers}
    keyOf={({ service, name }) => `${service} ${name}`}
    columns={[
      {
        id: "worker",
        header: texts.worker,
        className: "ar-break",
        cell: ({ name }) => <span className="ar-mono">{name}</span>,
      },
      { id: "service", header: texts.service, from: "sm", cell: ({ service }) => service },
      {
        id: "state",
        header: texts.state,
        cell: ({ status }) => <StatusBadge tone={tones[status]}>{texts.statuses[status]}</StatusBadge>,
      },
      {
        id: "round",
        header: texts.round,
        from: "md",
        cell: ({ last_round_at: at }) => (at === undefined ? none : <Instant iso={at} />),
      },
      {
        id: "failure",
        header: texts.failure,
        from: "md",
        className: "ar-break",
        cell: ({ last_failure: failure }) =>
          failure === undefined ? (
            none
          ) : (
            <>
              {failure.message} <Instant iso={failure.at} />
            </>
          ),
      },
    ]}
  />
);

const LeaseTable = ({ leases }: { leases: readonly HeldLease[] }) => (
  <PlainTable
    label={texts.leases}
    rows={leases}
    keyOf={({ service, name }) => `${service} ${name}`}
    empty={<EmptyState text={texts.noLeases} />}
    columns={[
      {
        id: "lease",
        header: texts.lease,
        className: "ar-break",
        cell: ({ name }) => <span className="ar-mono">{name}</span>,
      },
      { id: "service", header: texts.service, from: "sm", cell: ({ service }) => service },
      {
        id: "held",
        header: texts.state,
        cell: ({ held }) => (
          <StatusBadge tone={held ? "good" : "plain"}>{held ? texts.held : texts.free}</StatusBadge>
        ),
      },
      {
        id: "owner",
        header: texts.owner,
        from: "md",
        className: "ar-break ar-mono",
        cell: ({ owner, held }) => (held ? owner : none),
      },
      {
        id: "until",
        header: texts.until,
        from: "sm",
        cell: ({ expires_at, held }) => (held ? <Instant iso={expires_at} /> : none),
      },
    ]}
  />
);
