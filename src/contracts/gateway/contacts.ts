import { type Static, Type } from "@sinclair/typebox";
import { ChannelName } from "./channels.ts";
import { DeskEntry } from "./desk.ts";

/** `spelling`: as a sender wrote it, before the provider named its own. */
export const addressKinds = ["phone", "bsuid", "chat", "scoped", "visitor", "spelling"] as const;
export type AddressKind = (typeof addressKinds)[number];

/** Address of a contact. */
export const ContactAddress = Type.Object({
  kind: Type.Unsafe<AddressKind>(Type.Union(addressKinds.map((kind) => Type.Literal(kind)))),
  value: Type.String(),
  seen_at: Type.String(),
});

/** Person or group that a tenant is in touch with on a channel. */
export const Contact = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  channel: ChannelName,
  name: Type.Union([Type.String(), Type.Null()]),
  addresses: Type.Array(ContactAddress),
  notes: Type.Array(DeskEntry, { description: "Notes of its conversations, the newest 50, oldest first." }),
  labels: Type.Array(Type.String(), { description: "Labels of its conversations." }),
  conversations: Type.Array(Type.String(), { description: "Ids of its conversations." }),
  created_at: Type.String(),
});
export type Contact = Static<typeof Contact>;

export const ContactPage = Type.Object({
  contacts: Type.Array(Contact),
  total: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 1 }),
  offset: Type.Integer({ minimum: 0 }),
});
export type ContactPage = Static<typeof ContactPage>;

export const ForgottenContact = Type.Object({
  deleted: Type.Literal(true),
  conversations: Type.Integer({ minimum: 0 }),
  pending: Type.Boolean({
    description:
      "True while messages are still being deleted, or the platform has not yet forgotten the sessions: the gateway goes on by itself.",
  }),
});
export type ForgottenContact = Static<typeof ForgottenContact>;
