import { type Static, Type } from "@sinclair/typebox";

export const MessageInput = Type.Object(
  {
    channel: Type.String({ minLength: 1, maxLength: 63 }),
    recipient: Type.String({ minLength: 1, maxLength: 255 }),
    text: Type.Optional(Type.String({ maxLength: 65_536 })),
    conversation_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  },
  { additionalProperties: false },
);
export type MessageInput = Static<typeof MessageInput>;

export const MessageQueued = Type.Object({ message_id: Type.String(), status: Type.String() });
export type MessageQueued = Static<typeof MessageQueued>;
