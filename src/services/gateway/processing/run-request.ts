import type { InboundMedia, MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { namedMedia, queryOf, saidAround } from "../../../channels/inbound/query-text.ts";
import { imageKinds } from "../../../channels/media/run-images.ts";
import type { RunTurn } from "../../../contracts/daemon/runs/turns.ts";
import type { PlatformRunRequest, RunImage } from "../../../contracts/platform/runs/runs.ts";
import type { RepliedMessage } from "../conversations/replied-message.ts";
import type { ConversationRow } from "../conversations/store.ts";
import type { Untold } from "../conversations/untold-turns.ts";
import type { InboundRow, RunPlan } from "../inbound/schema.ts";

/** What a run request says besides the message itself. */
export interface RunFacts {
  sessionId: string;
  isNewConversation: boolean;
  isEmulated: boolean;
  /** Number that the channel verified for the sender. */
  senderPhone: string | undefined;
  /** `unavailable`: there was no room for them. */
  images: readonly RunImage[] | "unavailable";
  /** The message that this one replies to, as far as it is known. */
  repliedTo?: RepliedMessage | undefined;
  /** What was said since the agent's last turn without it. */
  turns?: readonly RunTurn[];
}

/** The facts from which the run that answers a message follows. */
export interface Answering {
  conversation: Pick<ConversationRow, "sessionId" | "openedAt" | "handoffAgent">;
  binding: { entryAgent: string };
  /** True if no person writes: its messages must not reach the memories from which others are answered. */
  isEmulated: boolean;
  senderPhone: string | undefined;
  repliedTo: RepliedMessage | undefined;
  /** What was said without the agent. */
  untold: Untold;
}

/** Plans the run that answers a message, by the agent that serves its conversation. */
export const runPlan = (
  row: InboundRow,
  event: MessageEvent,
  { conversation, binding, isEmulated, senderPhone, untold, repliedTo }: Answering,
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
    turns: untold.turns,
    repliedTo,
  }),
  ...(untold.ids.length > 0 && { told: untold.ids }),
  calls: 0,
  limited: 0,
  firstCallAt: now.toISOString(),
});

/** Makes the run request for a message. The same message makes the same request. */
export function runRequest(
  { channel, receivedAt }: Pick<InboundRow, "channel" | "receivedAt">,
  event: MessageEvent,
  { sessionId, isNewConversation, isEmulated, senderPhone, images, repliedTo, turns = [] }: RunFacts,
): PlatformRunRequest {
  const isUnavailable = isUnavailableIn(images);
  return {
    query: queryOf(event, isUnavailable),
    session_id: sessionId,
    context: {
      channel,
      sender: event.conversation.isGroup ? event.conversation.address.address : event.sender.address,
      ...(senderPhone !== undefined && { sender_phone: senderPhone }),
      ...named(event),
      message_id: event.messageId,
      is_new_conversation: isNewConversation,
      received_at: receivedAt.toISOString(),
      ...saidAround(event),
      ...(event.replyTo !== undefined && { reply_to: repliedTo ?? { id: event.replyTo } }),
      ...(event.media.length > 0 && {
        media: event.media.map((media) => namedMedia(media, isUnavailable(media))),
      }),
    },
    ...(images !== "unavailable" && images.length > 0 && { images: [...images] }),
    ...(turns.length > 0 && { turns: [...turns] }),
    ...(isEmulated && { remember: "conversation" as const }),
  };
}

/** Who writes, and in which group. */
const named = ({ contactName, speaker }: MessageEvent): Record<string, string> => {
  const name = speaker ?? contactName;
  return {
    ...(name !== undefined && { contact_name: name }),
    ...(speaker !== undefined && contactName !== undefined && { group: contactName }),
  };
};

/** Only files that a run would have taken are missing. */
const isUnavailableIn =
  (images: RunFacts["images"]) =>
  ({ kind }: InboundMedia) =>
    images === "unavailable" && imageKinds.has(kind);
