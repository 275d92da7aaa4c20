import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { ConversationMessage, RepliedTo } from "../../../contracts/gateway/admin.ts";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { formatDate, formatInstant, formatTime } from "../../parts/text/format.ts";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { gatewayPaths } from "../gateway-paths.ts";
import { plainReason } from "../outbox/plain-reason.ts";
import { useGateway } from "../use-gateway.ts";
import { type AlbumMessage, textOf } from "./albums.ts";
import { MessageFile } from "./message-file.tsx";
import { threadKey } from "./use-thread.ts";

interface MessageBubbleProps {
  shown: AlbumMessage;
  before: AlbumMessage | undefined;
}

/** A message of a conversation: the user's on the left, ours on the right with its receipt. */
export function MessageBubble({ shown, before }: MessageBubbleProps) {
  const { message, others } = shown;
  const { direction, kind, status, at, id, first_text: firstText, reply_to: repliedTo } = message;
  const day = formatDate(at);
  const isOurs = direction === "outbound";
  const media = [message, ...others].flatMap((one) => one.media);
  const text = textOf(shown);
  return (
    <>
      {(before === undefined || formatDate(before.message.at) !== day) && (
        <div className="ar-inbox-day">{day}</div>
      )}
      <div className="ar-bubble" data-side={isOurs ? "ours" : "theirs"} data-status={status}>
        {repliedTo !== undefined && <Quote of={repliedTo} />}
        {media.length > 0 && (
          <div className="ar-bubble-files" data-album={others.length > 0 || undefined}>
            {media.map((item, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the files of a message never change
              <MessageFile key={place} media={item} />
            ))}
          </div>
        )}
        {text.trim() !== "" && (
          <span className="ar-break" dir="auto">
            {text}
          </span>
        )}
        {text.trim() === "" && media.length === 0 && <span className="ar-soft">{texts.kindOf(kind)}</span>}
        {firstText !== undefined && <FirstWording text={firstText} />}
        <span className="ar-bubble-foot">
          {isOurs && <Writer message={message} />}
          <time dateTime={at} title={formatInstant(at)}>
            {formatTime(at)}
          </time>
          {isOurs && (
            <Link href={gatewayPaths.trail(id)} className="ar-bubble-status">
              {texts.status(status)}
            </Link>
          )}
        </span>
        {isOurs && <Refused message={message} />}
        <Reactions message={message} />
      </div>
    </>
  );
}

/** The message that this one replies to. */
function Quote({ of: { direction, kind = "", text = "" } }: { of: RepliedTo }) {
  return (
    <blockquote className="ar-bubble-quote">
      <small>
        {texts.quoted}
        {direction !== undefined && ` · ${direction === "outbound" ? texts.quotedUs : texts.quotedUser}`}
      </small>
      <span className="ar-break" dir="auto">
        {direction === undefined ? texts.quotedUnknown : text.trim() === "" ? texts.kindOf(kind) : text}
      </span>
    </blockquote>
  );
}

/** Marks an edited message, and shows its first wording when asked. */
function FirstWording({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="ar-bubble-edited"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {texts.edited}
      </button>
      {isOpen && (
        <span className="ar-bubble-first">
          <small>{texts.firstWording}</small>
          <span className="ar-break" dir="auto">
            {text.trim() === "" ? texts.kindOf("text") : text}
          </span>
        </span>
      )}
    </>
  );
}

/** Who wrote a message of ours: a person by their name, otherwise an agent or a program. */
function Writer({ message: { author, source } }: { message: ConversationMessage }) {
  if (author !== undefined) return <bdi className="ar-bubble-author">{escapeUnseenName(author)}</bdi>;
  return source === undefined ? null : <span className="ar-bubble-author">{texts.writers[source]}</span>;
}

/** Why a message of ours did not arrive, with the button that sends it again. */
function Refused({ message: { id, conversation_id, status, error } }: { message: ConversationMessage }) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const resend = useMutation({
    mutationFn: () => gateway.retryMessage(id),
    onSuccess: () => {
      notify(texts.resent);
      return Promise.all(
        [threadKey(conversation_id), ["gateway", "conversations"], ["gateway", "counts"]].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
  if (status !== "failed") return null;
  const reason = error === undefined ? undefined : plainReason(error);
  return (
    <span className="ar-bubble-refused">
      {reason !== undefined && (
        <span className="ar-break" title={reason.detail}>
          {reason.text} {reason.advice}
        </span>
      )}
      <Button
        size="compact-xs"
        variant="default"
        title={texts.resendHint}
        loading={resend.isPending}
        onClick={() => resend.mutate()}
      >
        {texts.resend}
      </Button>
      {resend.isError && <FailureView thrown={resend.error} />}
    </span>
  );
}

function Reactions({ message: { id, reactions = [] } }: { message: ConversationMessage }) {
  if (reactions.length === 0) return null;
  return (
    <Link href={gatewayPaths.trail(id)} className="ar-bubble-reactions">
      {reactions.map(({ emoji, rating, at }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: people may react with the same emoji at one time
        <span key={place} data-rating={rating} title={formatInstant(at)}>
          <span className="ar-bubble-emoji">{emoji}</span> {texts.reaction(rating)}
        </span>
      ))}
    </Link>
  );
}
