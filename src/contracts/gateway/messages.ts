import { type Static, Type } from "@sinclair/typebox";
import type { DeskNoticeInput } from "../platform/notices.ts";
import { ChannelName, TenantId } from "./channels.ts";

export const mediaKinds = ["image", "audio", "video", "document"] as const;

const mediaKind = Type.Unsafe<(typeof mediaKinds)[number]>(
  Type.Union(
    mediaKinds.map((kind) => Type.Literal(kind)),
    { fault: `must be one of ${mediaKinds.join(", ")}` },
  ),
);
const mediaTexts = {
  mime_type: Type.Optional(Type.String({ maxLength: 255 })),
  caption: Type.Optional(Type.String({ maxLength: 1024 })),
  filename: Type.Optional(Type.String({ maxLength: 255, description: "Name of a document." })),
};

/** A file as it is sent: at a public address, or uploaded. */
export const Media = Type.Object(
  {
    kind: mediaKind,
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    ...mediaTexts,
  },
  { additionalProperties: false },
);
export type Media = Static<typeof Media>;

/** A file as a sender names it: its kind and address, or the id of an upload. */
export const MediaInput = Type.Object(
  {
    kind: Type.Optional(mediaKind),
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "Id of an uploaded file." })),
    url: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2048, description: "A public http or https address." }),
    ),
    ...mediaTexts,
  },
  { additionalProperties: false },
);
export type MediaInput = Static<typeof MediaInput>;

const paramText = Type.String({ maxLength: 1024 });

/** Components as the provider takes them: each has a type and its parameters. */
const templateComponents = Type.Array(
  Type.Object({ type: Type.String({ minLength: 1, maxLength: 64 }) }, { additionalProperties: true }),
  { maxItems: 20, description: "Header, body and buttons as the provider takes them, in place of `params`." },
);

export const Template = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 512 }),
    language: Type.String({ minLength: 1, maxLength: 35 }),
    params: Type.Optional(
      Type.Union(
        [
          Type.Array(paramText, { maxItems: 100 }),
          Type.Record(Type.String({ minLength: 1, maxLength: 64 }), paramText, { maxProperties: 100 }),
        ],
        {
          description: "Texts of the body's placeholders, by position or by name.",
          fault: "must be a list of texts, or texts by name",
        },
      ),
    ),
    components: Type.Optional(templateComponents),
  },
  { additionalProperties: false },
);
export type Template = Static<typeof Template>;

/** Content of one outbound message. */
export interface MessageContent {
  text?: string;
  /** The text with Telegram's marks. */
  html?: string;
  media?: Media;
  template?: Template;
  /** Offers the button with which a user of `bot_messenger` shares their number. */
  asksContact?: true;
  /** A user's message that goes to a callback instead of the channel. */
  forward?: ForwardedMessage;
  /** What the platform is to tell the tenant's webhooks. */
  notice?: DeskNoticeInput;
  /** Trace that the message belongs to; undefined for one that begins with the message. */
  trace?: string;
}

/** A user's message as a callback gets it. Its files are fetched when it is sent. */
export interface ForwardedMessage {
  message_id: string;
  from: string;
  text: string;
  channel: ChannelName;
  contact_name?: string;
  /** ISO 8601, the provider's time. */
  timestamp: string;
  media: readonly ForwardedMedia[];
}

export interface ForwardedMedia {
  kind: string;
  /** The provider's id, by which the file is fetched. */
  id?: string;
  url?: string;
  mimeType?: string;
  isTooLarge?: boolean;
}

const content = {
  channel: Type.Optional(ChannelName),
  recipient: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  text: Type.Optional(Type.String({ maxLength: 65_536 })),
  media: Type.Optional(Type.Array(MediaInput, { maxItems: 20, description: "Only the first item is sent." })),
  template: Type.Optional(Template),
  conversation_ref: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "Replaces `channel` and `recipient`." }),
  ),
  force: Type.Optional(
    Type.Boolean({ description: "Sends free text though the provider's window is closed." }),
  ),
};
const account = {
  account_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "By default the tenant's oldest account on the channel.",
    }),
  ),
};
const closed = { additionalProperties: false } as const;

/** What a tenant sends. */
export const SendInput = Type.Object({ ...content, ...account }, closed);
export type SendInput = Static<typeof SendInput>;

/** What a trusted service sends for a tenant. */
export const SendOnBehalfInput = Type.Object(
  {
    tenant_id: TenantId,
    ...content,
    ...account,
    invocation_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "Run that writes the message. Users' reactions to it count as feedback on the run.",
      }),
    ),
  },
  closed,
);
export type SendOnBehalfInput = Static<typeof SendOnBehalfInput>;

/** The account that sends, in the query of an operator's request. */
export const SendAccount = Type.Object(account);

/** What an operator sends for a tenant. */
export const AdminSendInput = Type.Object({ tenant_id: TenantId, ...content }, closed);
export type AdminSendInput = Static<typeof AdminSendInput>;

export const messageStatuses = ["pending", "sending", "sent", "failed"] as const;
export type MessageStatus = (typeof messageStatuses)[number];
export const MessageStatus = Type.Unsafe<MessageStatus>(
  Type.Union(
    messageStatuses.map((status) => Type.Literal(status)),
    { fault: `must be one of ${messageStatuses.join(", ")}` },
  ),
);

export const QueuedMessage = Type.Object({ message_id: Type.String(), status: MessageStatus });
export type QueuedMessage = Static<typeof QueuedMessage>;

export const MessageOutcome = Type.Object({
  message_id: Type.String(),
  status: MessageStatus,
  attempts: Type.Integer({ minimum: 0, description: "Failed deliveries, out of 10." }),
  last_error: Type.Union([Type.String(), Type.Null()]),
});
export type MessageOutcome = Static<typeof MessageOutcome>;

export const ResolvedIdentity = Type.Object({
  external_user: Type.Union([Type.String(), Type.Null()], {
    description: "The address that verified the phone number.",
  }),
});
export type ResolvedIdentity = Static<typeof ResolvedIdentity>;
