import { type Static, Type } from "@sinclair/typebox";
import { ChannelName } from "./channels.ts";
import { mediaKinds } from "./messages.ts";

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
    grupo: Type.Optional({
      ...address,
      description:
        "Address of the group, with `/` and a number for a topic: the message is written there, and addresses the account.",
    }),
    channel_message_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: "^[\\x21-\\x7e]+$",
        description: "The provider's id; the same one twice is a repeated delivery.",
        fault: "must be 1 to 255 ASCII characters without spaces",
      }),
    ),
    responde_a: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "The provider's id of the message that it replies to.",
      }),
    ),
    enviado: Type.Optional(Type.String({ description: "Time of the provider, ISO 8601." })),
    media: Type.Optional(
      Type.Array(
        Type.Object(
          {
            kind: Type.Unsafe<(typeof mediaKinds)[number]>(
              Type.Union(
                mediaKinds.map((kind) => Type.Literal(kind)),
                { fault: `must be one of ${mediaKinds.join(", ")}` },
              ),
            ),
            id: Type.Optional(
              Type.String({
                minLength: 1,
                maxLength: 255,
                description: "An uploaded file whose bytes it has.",
              }),
            ),
            mime_type: Type.Optional(Type.String({ maxLength: 255 })),
            file_name: Type.Optional(Type.String({ maxLength: 255 })),
          },
          closed,
        ),
        {
          maxItems: 10,
          description:
            "Files of the message. Without the id of an upload, an emulated provider has no bytes.",
        },
      ),
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
