import { type Static, Type } from "@sinclair/typebox";

export const noticeEvents = [
  "credits.80",
  "credits.100",
  "run.refused",
  "period.closed",
  "subscription.ending",
  "model.unpriced",
  "storage.80",
  "agent.alert",
  "desk.needs_person",
  "desk.message",
  "desk.mention",
] as const;
export type NoticeEvent = (typeof noticeEvents)[number];
export const NoticeEvent = Type.Unsafe<NoticeEvent>(
  Type.Union(
    noticeEvents.map((name) => Type.Literal(name)),
    { description: noticeEvents.join(", ") },
  ),
);

/** Events of the gateway's desk, which the gateway reports. */
export const deskEvents = ["desk.needs_person", "desk.message", "desk.mention"] as const;
export type DeskEvent = (typeof deskEvents)[number];

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

export const WebhookInput = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description:
      "`https://` address for a POST, or `mailto:` with one e-mail address if the installation has a mail server.",
  }),
  secret: Type.Optional(
    Type.String({
      minLength: 16,
      maxLength: 255,
      description: "Key of the HMAC-SHA-256 in `X-Gateway-Signature-256`. Absent: the answer has a new one.",
    }),
  ),
  events: Type.Array(NoticeEvent, { minItems: 1, maxItems: noticeEvents.length, uniqueItems: true }),
});
export type WebhookInput = Static<typeof WebhookInput>;

export const Webhook = Type.Object({
  id: Type.String(),
  tenant_id: orNull(Type.String({ description: "Null: of the installation, for all tenants." })),
  url: Type.String(),
  events: Type.Array(NoticeEvent),
  created_at: Type.String(),
});
export type Webhook = Static<typeof Webhook>;

export const NewWebhook = Type.Object({
  ...Webhook.properties,
  secret: Type.String({ description: "Shown only now." }),
});
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookList = Type.Object({ webhooks: Type.Array(Webhook) });
export type WebhookList = Static<typeof WebhookList>;

/** Body of a notice. Its id is the same in each try. */
export const Notice = Type.Object({
  id: Type.String(),
  event: NoticeEvent,
  at: Type.String(),
  tenant_id: Type.String(),
  tenant_name: Type.String(),
  text: Type.String({ description: "One sentence for a person." }),
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type Notice = Static<typeof Notice>;

const shortText = (maxLength: number) => Type.String({ maxLength, pattern: "^[^\\u0000]*$" });

/** What the gateway reports of a conversation, for the tenant's webhooks. */
export const DeskNoticeInput = Type.Object(
  {
    event: Type.Unsafe<DeskEvent>(Type.Union(deskEvents.map((name) => Type.Literal(name)))),
    occasion: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: "^[!-~]+$",
      description: "A notice is given once for it.",
    }),
    conversation_id: Type.String({ minLength: 1, maxLength: 64, pattern: "^[A-Za-z0-9_-]+$" }),
    channel: Type.String({ minLength: 1, maxLength: 32, pattern: "^[a-z_]+$" }),
    contact_name: Type.Optional(orNull(shortText(255))),
    people: Type.Optional(
      Type.Array(shortText(120), {
        maxItems: 20,
        description: "Persons whom it concerns; none: the whole desk.",
      }),
    ),
    by: Type.Optional(orNull(shortText(120))),
    reason: Type.Optional(shortText(500)),
  },
  { additionalProperties: false },
);
export type DeskNoticeInput = Static<typeof DeskNoticeInput>;

export const DeskNoticeTaken = Type.Object({ taken: Type.Literal(true) });
export type DeskNoticeTaken = Static<typeof DeskNoticeTaken>;

export const NoticeDelivery = Type.Object({
  id: Type.String(),
  event: NoticeEvent,
  tenant_id: Type.String(),
  status: Type.Union([
    Type.Literal("pending"),
    Type.Literal("sending"),
    Type.Literal("sent"),
    Type.Literal("failed"),
  ]),
  attempts: Type.Integer({ description: "Failed tries." }),
  last_error: orNull(Type.String()),
  next_retry_at: orNull(Type.String()),
  created_at: Type.String(),
  sent_at: orNull(Type.String()),
  notice: Notice,
});
export type NoticeDelivery = Static<typeof NoticeDelivery>;

export const NoticeDeliveryList = Type.Object({
  deliveries: Type.Array(NoticeDelivery),
  next_cursor: Type.Optional(
    Type.String({ description: "Cursor of the next page. Absent on the last page." }),
  ),
});
export type NoticeDeliveryList = Static<typeof NoticeDeliveryList>;
