import { createHash } from "node:crypto";
import type { InboundMedia, MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { namedMedia, queryOf } from "../../../channels/inbound/query-text.ts";
import { imageKinds } from "../../../channels/media/run-images.ts";
import type { PlatformRunRequest, RunImage } from "../../../contracts/platform/runs/runs.ts";
import type { ConversationRow } from "../conversations/store.ts";
import type { InboundRow, RunPlan } from "../inbound/schema.ts";

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
  const isUnavailable = isUnavailableIn(images);
  return {
    query: queryOf(event, isUnavailable),
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
      ...(event.media.length > 0 && {
        media: event.media.map((media) => namedMedia(media, isUnavailable(media))),
      }),
    },
    ...(images !== "unavailable" && images.length > 0 && { images: [...images] }),
    ...(isEmulated && { remember: "conversation" as const }),
  };
}

/** Only files that a run would have taken are missing. */
const isUnavailableIn =
  (images: RunFacts["images"]) =>
  ({ kind }: InboundMedia) =>
    images === "unavailable" && imageKinds.has(kind);

/** Session of a conversation: channel, account and user. A user's address that is too long for it is replaced by its digest. */
export function sessionIdOf(
  { channel, accountId }: Pick<InboundRow, "channel" | "accountId">,
  user: string,
): string {
  const id = `${channel}__${accountId}__${user}`;
  if (id.length <= sessionCharsMax) return id;
  return `${channel}__${accountId}__${createHash("sha256").update(user).digest("hex")}`;
}
