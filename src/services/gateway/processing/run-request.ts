import { createHash } from "node:crypto";
import type { InboundMedia, MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import type { PlatformRunRequest, RunImage } from "../../../contracts/platform/runs/runs.ts";
import { cutText } from "../../../kit/text/cut-text.ts";
import type { ConversationRow } from "../conversations/store.ts";
import type { InboundRow } from "../inbound/event-row.ts";
import type { RunPlan } from "../inbound/schema.ts";
import { imageKinds } from "../media/run-images.ts";

const queryCharsMax = 256 * 1024;
const sessionCharsMax = 255;

/** What a run request says besides the message itself. */
export interface RunFacts {
  sessionId: string;
  isNewConversation: boolean;
  isEmulated: boolean;
  /** Number that the channel verified for the sender. */
  senderPhone: string | undefined;
  /** `unavailable`: there was no room for them. */
  images: readonly RunImage[] | "unavailable";
}

/** The facts from which the run that answers a message follows. */
export interface Answering {
  conversation: Pick<ConversationRow, "sessionId" | "openedAt" | "handoffAgent">;
  binding: { entryAgent: string };
  /** True if no person writes: its messages must not reach the memories from which others are answered. */
  isEmulated: boolean;
  senderPhone: string | undefined;
}

/** Plans the run that answers a message, by the agent that serves its conversation. */
export const runPlan = (
  row: InboundRow,
  event: MessageEvent,
  { conversation, binding, isEmulated, senderPhone }: Answering,
  images: RunFacts["images"],
  now: Date,
): RunPlan => ({
  agent: conversation.handoffAgent ?? binding.entryAgent,
  request: runRequest(row, event, {
    sessionId: conversation.sessionId,
    isNewConversation: conversation.openedAt === null,
    isEmulated,
    senderPhone,
    images,
  }),
  calls: 0,
  limited: 0,
  firstCallAt: now.toISOString(),
});

/** Makes the run request for a message. The same message makes the same request. */
export function runRequest(
  { channel, receivedAt }: Pick<InboundRow, "channel" | "receivedAt">,
  event: MessageEvent,
  { sessionId, isNewConversation, isEmulated, senderPhone, images }: RunFacts,
): PlatformRunRequest {
  return {
    query: queryOf(event, images),
    session_id: sessionId,
    context: {
      channel,
      sender: event.conversation.isGroup ? event.conversation.address.address : event.sender.address,
      ...(senderPhone !== undefined && { sender_phone: senderPhone }),
      ...(event.contactName !== undefined && { contact_name: event.contactName }),
      message_id: event.messageId,
      is_new_conversation: isNewConversation,
      received_at: receivedAt.toISOString(),
      ...(event.replyTo !== undefined && { reply_to: event.replyTo }),
      ...(event.media.length > 0 && { media: event.media.map((media) => namedMedia(media, images)) }),
    },
    ...(images !== "unavailable" && images.length > 0 && { images: [...images] }),
    ...(isEmulated && { remember: "conversation" as const }),
  };
}

/**
 * Returns true if a message has nothing to answer: no text, no payload of a button or form, and no file that can be had. Its run would be
 * paid for a query that nobody wrote.
 */
export const saysNothing = ({ text, data, media }: MessageEvent): boolean =>
  text.trim() === "" &&
  (data ?? "").trim() === "" &&
  !media.some(({ id, url }) => id !== undefined || url !== undefined);

/** The message's text, with a line for each file. */
function queryOf({ text, data, media }: MessageEvent, images: RunFacts["images"]): string {
  const lines = [
    text.trim() === "" ? (data ?? "") : text,
    ...media.map((item) => mediaLine(item, isUnavailable(item, images))),
  ];
  return cutText(lines.filter((line) => line.trim() !== "").join("\n"), queryCharsMax);
}

/** Only files that a run would have taken are missing. */
const isUnavailable = ({ kind }: InboundMedia, images: RunFacts["images"]) =>
  images === "unavailable" && imageKinds.has(kind);

function mediaLine({ kind, fileName, mimeType, isVoice }: InboundMedia, isMissing: boolean): string {
  const name = isVoice === true ? "voice message" : kind;
  const facts = [fileName, fileName === undefined ? mimeType : undefined].filter(
    (fact) => fact !== undefined,
  );
  return `[${[name, ...facts].join(": ")}${isMissing ? ", unavailable" : ""}]`;
}

function namedMedia(media: InboundMedia, images: RunFacts["images"]): Record<string, unknown> {
  const { kind, mimeType, fileName, bytes, isVoice, url } = media;
  return {
    kind,
    ...(isUnavailable(media, images) && { unavailable: true }),
    ...(mimeType !== undefined && { mime_type: mimeType }),
    ...(fileName !== undefined && { file_name: fileName }),
    ...(bytes !== undefined && { bytes }),
    ...(isVoice === true && { voice: true }),
    // A shared link has no file.
    ...(kind === "link" && url !== undefined && { url }),
  };
}

/** Session of a conversation: channel, account and user. A user's address that is too long for it is replaced by its digest. */
export function sessionIdOf(
  { channel, accountId }: Pick<InboundRow, "channel" | "accountId">,
  user: string,
): string {
  const id = `${channel}__${accountId}__${user}`;
  if (id.length <= sessionCharsMax) return id;
  return `${channel}__${accountId}__${createHash("sha256").update(user).digest("hex")}`;
}
