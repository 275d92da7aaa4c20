import { ActionIcon, Progress } from "@mantine/core";
import { Icon } from "../../parts/icon.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { formatBytes, formatPercent } from "../../parts/text/format.ts";
import { replyTexts as texts } from "../../texts/gateway/reply.ts";
import type { DraftFile } from "./drafts.ts";
import type { ReplyUploads } from "./use-uploads.ts";

interface ReplyFilesProps {
  files: readonly DraftFile[];
  uploads: ReplyUploads;
  remove: (id: string) => void;
}

/** Files of a reply, those on their way with their progress, and why others were not taken. */
export function ReplyFiles({
  files,
  uploads: { running, problems, thrown, cancel },
  remove,
}: ReplyFilesProps) {
  return (
    <>
      {files.length + running.length > 0 && (
        <ul className="ar-reply-files" aria-label={texts.files}>
          {files.map(({ id, name, size }) => (
            <li key={id}>
              <Icon name="clip" size={14} />
              <bdi className="ar-clip" title={escapeUnseenName(name)}>
                {escapeUnseenName(name)}
              </bdi>
              <span className="ar-soft">{formatBytes(size)}</span>
              <RemoveButton name={name} remove={() => remove(id)} />
            </li>
          ))}
          {running.map(({ key, name, share }) => (
            <li key={`upload ${key}`}>
              <bdi className="ar-clip">{escapeUnseenName(name)}</bdi>
              <Progress
                className="ar-reply-progress"
                value={share * 100}
                aria-label={texts.uploading(
                  escapeUnseenName(name),
                  formatPercent(Math.floor(share * 100) / 100),
                )}
              />
              <RemoveButton name={name} remove={() => cancel(key)} />
            </li>
          ))}
        </ul>
      )}
      {problems.length > 0 && (
        <div className="ar-reply-problems" role="alert">
          {problems.map((problem) => (
            <p key={problem} className="ar-break">
              {problem}
            </p>
          ))}
        </div>
      )}
      {thrown !== undefined && <FailureView thrown={thrown} />}
    </>
  );
}

function RemoveButton({ name, remove }: { name: string; remove: () => void }) {
  return (
    <ActionIcon
      size="xs"
      variant="subtle"
      color="gray"
      aria-label={texts.remove(escapeUnseenName(name))}
      onClick={remove}
    >
      <Icon name="close" size={12} />
    </ActionIcon>
  );
}
