import { type Static, Type } from "@sinclair/typebox";
import { StorageUse } from "../platform/stored.ts";
import { ChannelName } from "./channels.ts";
import { DeskState } from "./desk.ts";
import { Media, MessageStatus, Template } from "./messages.ts";

const nullable = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);
const count = Type.Integer({ minimum: 0 });

const page = { limit: Type.Integer({ minimum: 1 }), offset: count };

export const GatewayStats = Type.Object({
  messages_per_day: Type.Array(
    Type.Object({
      date: Type.String({ description: "UTC, `YYYY-MM-DD`." }),
      inbound: count,
      outbound: count,
    }),
  ),
  messages_by_channel: Type.Record(Type.String(), count),
  active_conversations: count,
  outbox_by_status: Type.Record(Type.String(), count),
  undelivered: Type.Integer({
    minimum: 0,
    description:
      "Messages that a provider accepted and then failed to deliver, and that were not sent again.",
  }),
  storage: Type.Optional(StorageUse),
});
export type GatewayStats = Static<typeof GatewayStats>;

export const Conversation = Type.Composite([
  Type.Object({
    id: Type.String(),
    tenant_id: Type.String(),
    channel: ChannelName,
    account_id: Type.String(),
    external_user: Type.String(),
    contact_id: Type.Optional(nullable(Type.String())),
    session_id: Type.String(),
    agent_name: nullable(Type.String()),
    contact_name: nullable(Type.String()),
    last_message_at: Type.String(),
    created_at: Type.String(),
    mode: Type.Union([Type.Literal("bot"), Type.Literal("human")]),
    window_closes_at: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: "Until when the provider takes free text; null: the user never wrote. Absent: always.",
      }),
    ),
  }),
  DeskState,
]);
export type Conversation = Static<typeof Conversation>;

/** A conversation as a list shows it. */
export const ListedConversation = Type.Composite([
  Conversation,
  Type.Object({
    unread: Type.Integer({ minimum: 0, description: "The user's messages since an operator last read it." }),
    last_message: Type.Union([
      Type.Object({
        direction: Type.Union([Type.Literal("inbound"), Type.Literal("outbound")]),
        kind: Type.String(),
        text: Type.String({ description: "At most 200 characters." }),
      }),
      Type.Null(),
    ]),
  }),
]);
export type ListedConversation = Static<typeof ListedConversation>;

export const ConversationPage = Type.Object({
  conversations: Type.Array(ListedConversation),
  total: count,
  ...page,
});
export type ConversationPage = Static<typeof ConversationPage>;

/** A file of a message. It has an address only if anyone may read it there. */
export const ConversationMedia = Type.Object({
  kind: Type.String(),
  id: Type.Optional(Type.String({ description: "By which `GET …/media/{id}` gives it for 30 days." })),
  url: Type.Optional(Type.String()),
  mime_type: Type.Optional(Type.String()),
  file_name: Type.Optional(Type.String()),
  caption: Type.Optional(Type.String()),
  transcript: Type.Optional(Type.String({ description: "What a voice message says." })),
  transcript_error: Type.Optional(
    Type.String({ description: "Why there is no transcript, although a model for them is configured." }),
  ),
});
export type ConversationMedia = Static<typeof ConversationMedia>;

/** A user's reaction to a message that we sent. */
export const MessageReaction = Type.Object({
  emoji: Type.String(),
  rating: Type.Union([Type.Literal("up"), Type.Literal("down"), Type.Null()], {
    description: "What it says about the answer; null: neither good nor bad.",
  }),
  at: Type.String(),
});
export type MessageReaction = Static<typeof MessageReaction>;

/** Message that another one replies to. Text and kind are absent if it isn't stored here. */
export const RepliedTo = Type.Object({
  id: Type.String({ description: "The provider's id." }),
  direction: Type.Optional(Type.Union([Type.Literal("inbound"), Type.Literal("outbound")])),
  kind: Type.Optional(Type.String()),
  text: Type.Optional(Type.String({ description: "At most 200 characters." })),
});
export type RepliedTo = Static<typeof RepliedTo>;

export const messageSources = [
  "agent_reply",
  "platform_proactive",
  "api",
  "inbound_forward",
  "desk_notice",
] as const;
export type MessageSource = (typeof messageSources)[number];
export const MessageSource = Type.Unsafe<MessageSource>(
  Type.Union(
    messageSources.map((source) => Type.Literal(source)),
    { fault: `must be one of ${messageSources.join(", ")}` },
  ),
);

export const ConversationMessage = Type.Object({
  id: Type.String(),
  conversation_id: Type.String(),
  direction: Type.Union([Type.Literal("inbound"), Type.Literal("outbound")]),
  kind: Type.String({ description: "`text`, a kind of media, `template`, or the provider's type." }),
  text: Type.String(),
  first_text: Type.Optional(
    Type.String({ description: "Text before the user's first edit. Absent: it was not edited." }),
  ),
  media: Type.Array(ConversationMedia),
  channel_message_id: nullable(Type.String()),
  status: Type.String({
    description: "`received`; for outbound messages the outbox's status or the delivery status.",
  }),
  at: Type.String(),
  invocation_id: Type.Optional(
    Type.String({ description: "The platform's id of the run that wrote the message." }),
  ),
  author: Type.Optional(Type.String({ description: "Person who wrote it at the desk." })),
  source: Type.Optional(MessageSource),
  error: Type.Optional(
    Type.String({
      description: "Why it failed, or was refused after it was accepted: a code and the provider's words.",
    }),
  ),
  reply_to: Type.Optional(RepliedTo),
  reactions: Type.Optional(Type.Array(MessageReaction, { description: "Users' reactions to the message." })),
});
export type ConversationMessage = Static<typeof ConversationMessage>;

export const ConversationMessagePage = Type.Object({ messages: Type.Array(ConversationMessage), ...page });
export type ConversationMessagePage = Static<typeof ConversationMessagePage>;

/** `resent`: it was refused after it was accepted, and went out anew as another message. */
export const deliveryStatuses = ["sent", "failed", "resent", "delivered", "read", "played"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export const DeliveryStatus = Type.Unsafe<DeliveryStatus>(
  Type.Union(
    deliveryStatuses.map((status) => Type.Literal(status)),
    { fault: `must be one of ${deliveryStatuses.join(", ")}` },
  ),
);

export const OutboxEntry = Type.Object({
  message_id: Type.String(),
  tenant_id: Type.String(),
  channel: ChannelName,
  account_id: Type.String(),
  recipient: Type.String(),
  status: MessageStatus,
  attempts: count,
  last_error: nullable(Type.String()),
  next_retry_at: nullable(Type.String()),
  source: MessageSource,
  payload: Type.Object({
    text: Type.Optional(Type.String()),
    media: Type.Optional(Media),
    template: Type.Optional(Template),
  }),
  delivery_status: nullable(Type.String()),
  created_at: Type.String(),
  sent_at: nullable(Type.String()),
  channel_message_id: nullable(Type.String()),
});
export type OutboxEntry = Static<typeof OutboxEntry>;

export const OutboxPage = Type.Object({ entries: Type.Array(OutboxEntry), total: count, ...page });
export type OutboxPage = Static<typeof OutboxPage>;

const fault = Type.Union([Type.Literal("429"), Type.Literal("closed-window")], {
  fault: "must be 429 or closed-window",
});

export const EmulatorFaultInput = Type.Object(
  {
    canal: Type.Optional(ChannelName),
    cuenta: Type.String({ minLength: 1, maxLength: 255, description: "External id of the account." }),
    fault,
    veces: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: "Messages that fail." })),
    channel_message_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          "The provider's id of a user's message, sent or still to come: only its answers fail. Absent: whatever the account sends next.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type EmulatorFaultInput = Static<typeof EmulatorFaultInput>;
/** A report of an emulated provider about a message that it accepted. */
export const EmulatorReceiptInput = Type.Object(
  {
    canal: Type.Optional(ChannelName),
    cuenta: Type.String({ minLength: 1, maxLength: 255, description: "External id of the account." }),
    channel_message_id: Type.String({ minLength: 1, maxLength: 255, description: "The provider's id." }),
    estado: Type.Union([Type.Literal("delivered"), Type.Literal("read"), Type.Literal("failed")], {
      fault: "must be delivered, read or failed",
    }),
    codigo: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 999_999,
        description: "The provider's error code, with `failed`.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type EmulatorReceiptInput = Static<typeof EmulatorReceiptInput>;
/** A user's reaction to a message that an emulated account sent. */
export const EmulatorReactionInput = Type.Object(
  {
    canal: Type.Optional(ChannelName),
    cuenta: Type.String({ minLength: 1, maxLength: 255, description: "External id of the account." }),
    desde: Type.String({ minLength: 1, maxLength: 255, description: "Address of the user." }),
    channel_message_id: Type.String({ minLength: 1, maxLength: 255, description: "The provider's id." }),
    emoji: Type.Optional(
      Type.String({ maxLength: 64, description: "Absent or empty: the reaction is removed." }),
    ),
    enviado: Type.Optional(Type.String({ description: "The provider's time; by default now." })),
  },
  { additionalProperties: false },
);
export type EmulatorReactionInput = Static<typeof EmulatorReactionInput>;
export const EmulatorReceiptQueued = Type.Object({ encolado: Type.Literal(true) });
export type EmulatorReceiptQueued = Static<typeof EmulatorReceiptQueued>;

export const EmulatorFaultSet = Type.Object({ fault, veces: Type.Integer() });

export const EmulatorOutbox = Type.Object({
  total: count,
  mensajes: Type.Array(
    Type.Object({
      cuando: Type.String(),
      cuenta: Type.String({ description: "External id of the account." }),
      destino: Type.String(),
      contenido: Type.Object({
        text: Type.Optional(Type.String()),
        html: Type.Optional(Type.String({ description: "The text with Telegram's marks." })),
        media: Type.Optional(Media),
        template: Type.Optional(Template),
        asksContact: Type.Optional(Type.Literal(true)),
      }),
    }),
  ),
});
export type EmulatorOutbox = Static<typeof EmulatorOutbox>;
