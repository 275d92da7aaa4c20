import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { StorageReport } from "../../../contracts/daemon/storage-report.ts";
import { measures } from "../../charts/measure.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import { Figures } from "../../parts/layout/figures.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { formatBytes, formatDay, formatShortDay } from "../../parts/text/format.ts";
import { useDaemon } from "../../studio/use-daemon.ts";
import { storageTexts as texts } from "../../texts/operations/storage.ts";
import { DatabaseTable, FolderTable, RetentionTable, SizeTable } from "./storage-tables.tsx";

/** Sizes of the stored data, and what retention deletes. */
export default function StoragePage() {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "storage"], queryFn: () => daemon.storage() });
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

function Report({ report }: { report: StorageReport }) {
  const { disk, days, engine, databases, folders, tables, retention } = report;
  const [first] = days;
  const last = days.at(-1);
  return (
    <div className="ar-stack">
      <Figures
        figures={[
          disk === null
            ? { label: texts.free, value: texts.unknown }
            : {
                label: texts.free,
                value: formatBytes(disk.free_bytes),
                note: texts.ofDisk(formatBytes(disk.total_bytes)),
              },
          { label: texts.all, value: formatBytes(last?.size_bytes ?? 0), note: texts.engines[engine] },
          first === undefined || last === undefined || first === last
            ? { label: texts.growth, value: "–", note: texts.noGrowth }
            : {
                label: texts.growth,
                value: signed(last.size_bytes - first.size_bytes),
                note: texts.since(formatDay(first.day)),
              },
        ]}
      />
      {days.length > 1 && (
        <Panel title={texts.byDay}>
          <TimeChart
            label={texts.byDay}
            data={days.map(({ day, size_bytes }) => ({ label: formatShortDay(day), size: size_bytes }))}
            series={[{ name: "size", label: texts.size, color: "sea.5" }]}
            measure={measures.bytes}
          />
        </Panel>
      )}
      <Panel title={texts.databases} flush>
        <DatabaseTable databases={databases} />
      </Panel>
      <Panel title={texts.folders} flush={folders.length > 0}>
        <FolderTable folders={folders} />
      </Panel>
      <Panel title={texts.retention} flush>
        <RetentionTable rules={retention} />
      </Panel>
      <Panel title={texts.tables} flush>
        <SizeTable tables={tables} engine={engine} />
      </Panel>
    </div>
  );
}

const signed = (bytes: number): string => (bytes < 0 ? `−${formatBytes(-bytes)}` : `+${formatBytes(bytes)}`);
