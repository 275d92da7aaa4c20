import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { BackupList, KnownBackup } from "../../../contracts/daemon/backups.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { useDaemon } from "../../studio/use-daemon.ts";
import { backupTexts as texts } from "../../texts/operations/backups.ts";
import { BackupDialog } from "./backup-dialog.tsx";
import { BackupTable } from "./backup-table.tsx";
import { JobPanel } from "./job-panel.tsx";
import { RestoreDialog } from "./restore-dialog.tsx";

const whileRunningMs = 1_000;

/** The backups of the data folder. The page asks again by itself only while a backup runs. */
export default function BackupsPage() {
  const daemon = useDaemon();
  const [isStarting, setStarting] = useState(false);
  const query = useQuery({
    queryKey: ["daemon", "backups"],
    queryFn: () => daemon.backups(),
    refetchInterval: ({ state }) => (state.data?.job?.state === "running" ? whileRunningMs : false),
  });
  const isRunning = query.data?.job?.state === "running";
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button variant="default" onClick={() => void query.refetch()}>
          {texts.refresh}
        </Button>
        <Button disabled={query.data === undefined || isRunning} onClick={() => setStarting(true)}>
          {texts.start}
        </Button>
      </PageHeader>
      <Loaded query={query}>{(list) => <Backups list={list} />}</Loaded>
      {isStarting && query.data !== undefined && (
        <BackupDialog
          folder={query.data.folder}
          start={async (start) => {
            await daemon.startBackup(start);
            await query.refetch();
          }}
          close={() => setStarting(false)}
        />
      )}
    </>
  );
}

function Backups({ list: { backups, job, missing } }: { list: BackupList }) {
  const [restored, restore] = useState<KnownBackup>();
  const [newest] = backups;
  const present = backups.filter(({ state }) => state === "present").length;
  return (
    <div className="ar-stack">
      <Figures
        figures={[
          {
            label: texts.last,
            value: newest === undefined ? texts.never : <Instant iso={newest.taken_at} />,
          },
          { label: texts.count, value: formatNumber(backups.length), note: texts.present(present) },
        ]}
      />
      {job !== null && <JobPanel job={job} />}
      {missing.length > 0 && (
        <Panel title={texts.missing}>
          {missing.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </Panel>
      )}
      <Panel title={texts.list} flush={backups.length > 0}>
        <BackupTable backups={backups} restore={restore} />
      </Panel>
      {restored !== undefined && <RestoreDialog backup={restored} close={() => restore(undefined)} />}
    </div>
  );
}
