import { Button, Loader } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import { useState } from "react";
import type { ConversationMedia } from "../../../contracts/gateway/admin.ts";
import { saveBlob } from "../../api/save-file.ts";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { formatBytes } from "../../parts/text/format.ts";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { useBlobUrl, useFile } from "./use-file.ts";

/** A file of a message: an image is shown, voice and videos are played, everything else is downloaded. */
export function MessageFile({ media }: { media: ConversationMedia }) {
  return (
    <>
      <ShownFile media={media} />
      <Transcript media={media} />
    </>
  );
}

/** What a voice message says, or why that is not known. */
function Transcript({ media: { transcript, transcript_error: why } }: { media: ConversationMedia }) {
  if (transcript === undefined) {
    return why === undefined ? null : <small className="ar-soft ar-break">{texts.noTranscript(why)}</small>;
  }
  return (
    <span className="ar-bubble-first">
      <small>{texts.transcript}</small>
      <span className="ar-break" dir="auto">
        {transcript}
      </span>
    </span>
  );
}

function ShownFile({ media }: { media: ConversationMedia }) {
  const { kind, id } = media;
  const [hasFailed, setFailed] = useState(false);
  if (id === undefined) return <FileLink media={media} />;
  const file = { id, kind, name: nameOf(media), cannotShow: () => setFailed(true) };
  if (hasFailed) return <Document {...file} />;
  if (kind === "image" || kind === "sticker") return <Picture {...file} />;
  if (kind === "audio" || kind === "voice") return <Sound {...file} />;
  return kind === "video" ? <Video {...file} /> : <Document {...file} />;
}

/** The file's own name, or else its kind. */
const nameOf = ({ kind, file_name }: ConversationMedia): string =>
  file_name === undefined || file_name.trim() === "" ? texts.kindOf(kind) : escapeUnseenName(file_name);

interface FileProps {
  id: string;
  kind: string;
  name: string;
  /** The browser can't show what the file holds, so it is offered as a download. */
  cannotShow: () => void;
}

/** Types of which nothing runs; the gateway finds them by the bytes. */
const pictureType = /^image\/(?:png|jpeg|gif|webp)$/;

function Picture({ id, name, cannotShow }: FileProps) {
  const { ref, inViewport } = useInViewport<HTMLButtonElement>();
  const file = useFile(id, inViewport);
  const url = useBlobUrl(file.data);
  const [isOpen, setOpen] = useState(false);
  if (file.isError) return <Missing name={name} again={() => void file.refetch()} />;
  if (file.data !== undefined && !pictureType.test(file.data.type)) {
    return <Document id={id} name={name} />;
  }
  return (
    <>
      <button
        type="button"
        ref={ref}
        className="ar-bubble-picture"
        aria-label={texts.openImage(name)}
        disabled={url === undefined}
        onClick={() => setOpen(true)}
      >
        {url === undefined ? <Loader size="xs" /> : <img src={url} alt="" onError={cannotShow} />}
      </button>
      {isOpen && url !== undefined && (
        <Dialog opened onClose={() => setOpen(false)} title={name} size="auto">
          <img className="ar-bubble-full" src={url} alt={name} />
          <Document id={id} name={name} />
        </Dialog>
      )}
    </>
  );
}

function Sound({ id, name, cannotShow }: FileProps) {
  const { ref, inViewport } = useInViewport<HTMLSpanElement>();
  const file = useFile(id, inViewport);
  const url = useBlobUrl(file.data);
  if (file.isError) return <Missing name={name} again={() => void file.refetch()} />;
  return (
    <span ref={ref} className="ar-bubble-sound">
      {/* biome-ignore lint/a11y/useMediaCaption: what users record has no captions */}
      <audio
        controls
        preload="metadata"
        src={url}
        aria-label={name}
        onError={url === undefined ? undefined : cannotShow}
      />
      <Document id={id} name={name} isSmall />
    </span>
  );
}

function Video({ id, name, cannotShow }: FileProps) {
  const [isWanted, want] = useState(false);
  const file = useFile(id, isWanted);
  const url = useBlobUrl(file.data);
  if (file.isError) return <Missing name={name} again={() => void file.refetch()} />;
  if (url === undefined) {
    return (
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<Icon name="play" />}
        loading={file.isFetching}
        onClick={() => want(true)}
      >
        {texts.playVideo(name)}
      </Button>
    );
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: what users record has no captions */}
      <video className="ar-bubble-video" controls autoPlay src={url} aria-label={name} onError={cannotShow} />
      <Document id={id} name={name} />
    </>
  );
}

/** A button that downloads the file under its name. */
function Document({ id, name, isSmall = false }: { id: string; name: string; isSmall?: boolean }) {
  const file = useFile(id, false);
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed) return <Missing name={name} again={() => setFailed(false)} />;
  const download = async () => {
    const { data } = file.data === undefined ? await file.refetch() : file;
    if (data === undefined) setFailed(true);
    else saveBlob(name, data);
  };
  return (
    <Button
      className="ar-bubble-file"
      size={isSmall ? "compact-xs" : "compact-sm"}
      variant={isSmall ? "subtle" : "default"}
      leftSection={<Icon name={isSmall ? "down" : "clip"} />}
      loading={file.isFetching}
      onClick={() => void download()}
    >
      {texts.download(name)}
      {file.data !== undefined && ` (${formatBytes(file.data.size)})`}
    </Button>
  );
}

function Missing({ name, again }: { name: string; again: () => void }) {
  return (
    <span className="ar-bubble-media">
      <Icon name="warn" />
      <span className="ar-break">{texts.fileGone(name)}</span>
      <Button size="compact-xs" variant="subtle" onClick={again}>
        {texts.tryAgain}
      </Button>
    </span>
  );
}

/** A file that is not stored here, by its name: loading it would ask another server. */
function FileLink({ media }: { media: ConversationMedia }) {
  const { kind, file_name, mime_type, url, caption } = media;
  const name = file_name ?? mime_type ?? caption ?? "";
  const label = `${texts.kindOf(kind)}${name === "" ? "" : `: ${name}`}`;
  const isSafe = url !== undefined && /^https?:\/\//i.test(url);
  return (
    <span className="ar-bubble-media">
      <Icon name="clip" />
      {isSafe ? (
        <a href={url} target="_blank" rel="noreferrer noopener nofollow">
          {label}
        </a>
      ) : (
        <span className="ar-break">{label}</span>
      )}
    </span>
  );
}
