import { type Static, Type } from "@sinclair/typebox";
import { ChannelName } from "./channels.ts";

const closed = { additionalProperties: false } as const;
const externalId = Type.String({ minLength: 1, maxLength: 255, description: "External id of the account." });
const address = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
  description: "Address of the person who writes.",
  fault: "must be 1 to 255 characters without control characters",
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
    channel_message_id: Type.Optional(
      Type.String({
        pattern: "^[\\x21-\\x7e]{1,255}$",
        description: "The provider's id of the message. The same one again is a repeated delivery.",
        fault: "must be 1 to 255 ASCII characters without spaces",
      }),
    ),
    enviado: Type.Optional(
      Type.String({ description: "The provider's time of the message, ISO 8601. By default now." }),
    ),
  },
  closed,
);
export type EmulatorInboundInput = Static<typeof EmulatorInboundInput>;

export const InboundQueued = Type.Object({
  encolado: Type.Literal(true),
  channel_message_id: Type.String(),
});
export type InboundQueued = Static<typeof InboundQueued>;
