import { ActionIcon, Button } from "@mantine/core";
import { refusalOf } from "../../contracts/refusal.ts";
import { Icon } from "../parts/icon.tsx";
import { formatBytes, formatNumber } from "../parts/text/format.ts";
import { StatusBadge, type Tone } from "../parts/text/status-badge.tsx";
import { uploadTexts as texts } from "../texts/documents.ts";
import { hasEnded, type QueuedUpload, type UploadState } from "./upload-queue.ts";
import type { Uploads } from "./use-upload-queue.ts";

const tones: Readonly<Record<UploadState, Tone>> = {
  waiting: "plain",
  reading: "accent",
  working: "accent",
  done: "good",
  failed: "bad",
  cancelled: "plain",
};

/** The uploads of this page, each with its state. */
export function UploadList({ uploads: { uploads, cancel, retry, clear } }: { uploads: Uploads }) {
  const ended = uploads.filter(hasEnded).length;
  const countOf = (state: UploadState) => uploads.filter((upload) => upload.state === state).length;
  return (
    <>
      <div className="ar-upload-sum">
        <span role="status">{texts.summary(countOf("done"), countOf("failed"), uploads.length)}</span>
        {ended > 0 && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={clear}>
            {texts.clear}
          </Button>
        )}
      </div>
      <ul className="ar-uploads" aria-label={texts.list}>
        {uploads.map((upload) => (
          <li key={upload.key} className="ar-upload">
            <span className="ar-break">{upload.file.name}</span>
            <span className="ar-soft">{formatBytes(upload.file.size)}</span>
            <StatusBadge tone={tones[upload.state]}>{texts.states[upload.state]}</StatusBadge>
            {upload.state === "working" && upload.reading !== undefined && (
              <span className="ar-soft">{texts.reading(upload.reading)}</span>
            )}
            <span className="ar-upload-end">
              {upload.outcome !== undefined && (
                <span className="ar-soft">
                  {upload.outcome.status !== undefined && `${texts.outcome[upload.outcome.status]}, `}
                  {texts.chunks(upload.outcome.chunks, formatNumber(upload.outcome.chunks))}
                </span>
              )}
              {upload.state === "failed" && (
                <Button size="compact-xs" variant="subtle" onClick={() => retry(upload)}>
                  {texts.again}
                </Button>
              )}
              {!hasEnded(upload) && (
                <ActionIcon
                  size="sm"
                  variant="subtle"
                  color="gray"
                  aria-label={texts.cancel(upload.file.name)}
                  onClick={() => cancel(upload)}
                >
                  <Icon name="close" size={14} />
                </ActionIcon>
              )}
            </span>
            {upload.outcome?.losses !== undefined && (
              <div className="ar-upload-losses ar-soft">
                {texts.losses}: {upload.outcome.losses.map(({ detail }) => detail).join("; ")}
              </div>
            )}
            {upload.thrown !== undefined && <Fault upload={upload} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function Fault({ upload: { thrown } }: { upload: QueuedUpload }) {
  const refusal = refusalOf(thrown);
  const message = refusal?.message ?? (thrown instanceof Error ? thrown.message : String(thrown));
  return (
    <div className="ar-upload-fault ar-break">
      {message} {refusal?.hint}
    </div>
  );
}
