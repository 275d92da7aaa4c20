import { Type } from "@sinclair/typebox";
import { publishedSchema } from "../../../manifest/schema/json-schema.ts";
import { readByTypeBox } from "../input-schema.ts";
import type { BindEntry } from "../tool-type.ts";

/** Parameters of `send_message`. */
export const messageParameters = Type.Object(
  {
    channel: Type.String({ description: "The channel, for example whatsapp.", minLength: 1, maxLength: 63 }),
    recipient: Type.String({
      description: "Whom it goes to, as the channel names people.",
      minLength: 1,
      maxLength: 255,
    }),
    text: Type.String({ description: "What the message says.", minLength: 1, maxLength: 16_384 }),
    conversation_ref: Type.Optional(
      Type.String({ description: "The conversation that it belongs to.", minLength: 1, maxLength: 255 }),
    ),
  },
  { additionalProperties: false },
);

/** Schema of the entry's `config`. */
export const messageOptions = Type.Object(
  {
    recipients: Type.Array(Type.String({ minLength: 1, maxLength: 255, description: "A recipient." }), {
      description: "Addresses the agent may write to besides the conversation it answers; none by default.",
      maxItems: 256,
      default: [],
    }),
  },
  { additionalProperties: false },
);

export const messageDocs =
  "Sends a message for the tenant and returns `{message_id, status}`. Only the conversation that the run answers may be written to, unless `recipients` names others.";

const description = "Sends a message to a user on a channel. It can't be taken back.";

/** `send_message`: sends messages through the run's means, which decide on the allowed recipients. */
export const bindSendMessage: BindEntry<"internal"> = (
  { description: told, parameters, timeout_seconds },
  { path },
) => {
  if (parameters !== undefined) {
    return { problems: [{ path: `${path}.parameters`, message: "can't be changed for an internal tool" }] };
  }
  return {
    tool: {
      name: "send_message",
      type: "internal",
      description: told ?? description,
      parameters: publishedSchema(messageParameters),
      async execute(input, { means, signal }) {
        if (means?.send === undefined) {
          return { success: false, error: "No messages can be sent from here. Say that it was not sent." };
        }
        // `read` has validated the input.
        const { channel, recipient, text, conversation_ref } = input as {
          channel: string;
          recipient: string;
          text: string;
          conversation_ref?: string;
        };
        const message = {
          channel,
          recipient,
          text,
          ...(conversation_ref && { conversationRef: conversation_ref }),
        };
        return { success: true, data: await means.send(message, signal) };
      },
      describeCall: ({ recipient }) => ({ target: String(recipient), operation: "send message" }),
    },
    read: readByTypeBox(messageParameters),
    timeoutMs: timeout_seconds * 1000,
  };
};
