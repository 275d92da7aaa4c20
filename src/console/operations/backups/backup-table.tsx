import { Button } from "@mantine/core";
import type { KnownBackup } from "../../../contracts/daemon/backups.ts";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatBytes, formatInstant } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { backupTexts as texts } from "../../texts/operations/backups.ts";

const tones: Readonly<Record<KnownBackup["state"], Tone>> = {
  present: "good",
  changed: "bad",
  missing: "bad",
  elsewhere: "plain",
};

interface BackupTableProps {
  backups: readonly KnownBackup[];
  restore: (backup: KnownBackup) => void;
}

export const BackupTable = ({ backups, restore }: BackupTableProps) => (
  <>
    <PlainTable
      label={texts.list}
      rows={backups}
      keyOf={({ place }) => place}
      empty={<EmptyState text={texts.none} />}
      columns={[
        {
          id: "taken",
          header: texts.taken,
          className: "ar-break",
          cell: ({ taken_at, place, argosy }) => (
            <>
              <Instant iso={taken_at} /> <span className="ar-soft">Argosy {argosy}</span>
              <div className="ar-soft ar-mono ar-break">{place}</div>
            </>
          ),
        },
        {
          id: "content",
          header: texts.content,
          from: "md",
          cell: ({ databases, files }) => texts.contentOf(databases, files),
        },
        {
          id: "size",
          header: texts.size,
          from: "sm",
          align: "end",
          cell: ({ archive_bytes, size_bytes }) => formatBytes(archive_bytes ?? size_bytes),
        },
        {
          id: "state",
          header: texts.state,
          className: "ar-narrow",
          cell: ({ state }) => <StatusBadge tone={tones[state]}>{texts.states[state]}</StatusBadge>,
        },
        {
          id: "restore",
          header: texts.restore,
          hidesHeader: true,
          align: "end",
          cell: (backup) => (
            <Button
              variant="default"
              size="compact-sm"
              aria-label={texts.restoreOf(formatInstant(backup.taken_at))}
              onClick={() => restore(backup)}
            >
              {texts.restore}
            </Button>
          ),
        },
      ]}
    />
    {backups.length > 0 && <p className="ar-soft ar-panel-body">{texts.checked}</p>}
  </>
);
