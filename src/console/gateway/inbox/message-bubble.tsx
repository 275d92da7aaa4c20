import { Link } from "wouter";
import type { ConversationMedia, ConversationMessage } from "../../../contracts/gateway/admin.ts";
import { Icon } from "../../parts/icon.tsx";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { formatDate, formatInstant, formatTime } from "../../parts/text/format.ts";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { gatewayPaths } from "../gateway-paths.ts";

interface MessageBubbleProps {
  message: ConversationMessage;
  before: ConversationMessage | undefined;
}

/** A message of a conversation: the user's on the left, ours on the right with its receipt. */
export function MessageBubble({ message, before }: MessageBubbleProps) {
  const { direction, text, kind, media, status, at, id, author, reactions = [] } = message;
  const day = formatDate(at);
  const isOurs = direction === "outbound";
  return (
    <>
      {(before === undefined || formatDate(before.at) !== day) && <div className="ar-inbox-day">{day}</div>}
      <div className="ar-bubble" data-side={isOurs ? "ours" : "theirs"} data-status={status}>
        {media.map((item, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the files of a message never change
          <MediaLine key={place} media={item} />
        ))}
        {text.trim() === "" && media.length === 0 ? (
          <span className="ar-soft">{texts.kindOf(kind)}</span>
        ) : (
          <span className="ar-break">{text}</span>
        )}
        <span className="ar-bubble-foot">
          {author !== undefined && <bdi className="ar-bubble-author">{escapeUnseenName(author)}</bdi>}
          <time dateTime={at}>{formatTime(at)}</time>
          {isOurs && (
            <Link href={gatewayPaths.trail(id)} className="ar-bubble-status">
              {texts.status(status)}
            </Link>
          )}
        </span>
        {reactions.length > 0 && (
          <Link href={gatewayPaths.trail(id)} className="ar-bubble-reactions">
            {reactions.map(({ emoji, rating, at: reactedAt }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: people may react with the same emoji at one time
              <span key={place} data-rating={rating} title={formatInstant(reactedAt)}>
                <span className="ar-bubble-emoji">{emoji}</span> {texts.reaction(rating)}
              </span>
            ))}
          </Link>
        )}
      </div>
    </>
  );
}

/** A file by its name: loading it would ask another server. */
function MediaLine({ media }: { media: ConversationMedia }) {
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
