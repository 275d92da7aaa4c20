import { type Static, Type } from "@sinclair/typebox";
import { ChannelName } from "./channels.ts";

const closed = { additionalProperties: false } as const;
const externalId = Type.String({ minLength: 1, maxLength: 255, description: "External id of the account." });
const address = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
  description: "Address of the person who writes.",
});
const text = Type.String({ minLength: 1, maxLength: 65_536 });

/** A message of a person to an emulated account. */
export const EmulatorInboundInput = Type.Object(
  {
    canal: Type.Optional(ChannelName),
    cuenta: Type.Optional(externalId),
    desde: address,
    texto: text,
    nombre: Type.Optional(Type.String({ maxLength: 255 })),
  },
  closed,
);
export type EmulatorInboundInput = Static<typeof EmulatorInboundInput>;

export const InboundQueued = Type.Object({
  encolado: Type.Literal(true),
  channel_message_id: Type.String(),
});
export type InboundQueued = Static<typeof InboundQueued>;
