import { Progress } from "@mantine/core";
import type { BackupJob } from "../../../contracts/daemon/backups.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { formatBytes } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { backupTexts as texts } from "../../texts/operations/backups.ts";

const tones: Readonly<Record<BackupJob["state"], Tone>> = { running: "plain", done: "good", failed: "bad" };

/** The backup that is made now, or the last one of this server. */
export function JobPanel({ job }: { job: BackupJob }) {
  const { state, place, started_at, files, of_files, bytes, of_bytes, error } = job;
  const percent = of_bytes === 0 ? 0 : (100 * bytes) / of_bytes;
  return (
    <Panel title={texts.job} actions={<StatusBadge tone={tones[state]}>{texts.jobs[state]}</StatusBadge>}>
      <div className="ar-stack" role="status">
        <div className="ar-mono ar-break">{place}</div>
        <Progress
          value={state === "done" ? 100 : percent}
          color={state === "failed" ? "red" : "sea.6"}
          aria-label={texts.percent}
        />
        <div className="ar-soft">
          {of_files === 0
            ? state === "running" && texts.copying
            : texts.progress(files, of_files, formatBytes(bytes), formatBytes(of_bytes))}
          {" · "}
          <Instant iso={started_at} />
        </div>
        {error !== null && (
          <div role="alert">
            <strong>{texts.failure}</strong>
            <div className="ar-break">{error.message}</div>
            {error.hint !== null && <div className="ar-soft ar-break">{error.hint}</div>}
          </div>
        )}
      </div>
    </Panel>
  );
}
