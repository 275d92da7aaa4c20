import { type Static, Type } from "@sinclair/typebox";
import { SessionId } from "./runs/run.ts";

const optional = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
const open = { additionalProperties: true };
const Json = Type.Unknown();

const AgUiPart = Type.Object(
  {
    type: Type.String(),
    text: Type.Optional(Type.String()),
    source: Type.Optional(
      Type.Object(
        {
          type: Type.String(),
          value: Type.Optional(Type.String()),
          mimeType: Type.Optional(Type.String()),
        },
        open,
      ),
    ),
  },
  open,
);

export const AgUiMessage = Type.Object(
  {
    role: Type.String(),
    content: optional(Type.Union([Type.String(), Type.Array(AgUiPart), Type.Record(Type.String(), Json)])),
    toolCallId: Type.Optional(Type.String()),
    toolCalls: optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String(),
            function: Type.Object({ name: Type.String(), arguments: Type.String() }, open),
          },
          open,
        ),
      ),
    ),
  },
  open,
);
export type AgUiMessage = Static<typeof AgUiMessage>;

/** `RunAgentInput` of AG-UI 1.0. */
export const AgUiInput = Type.Object(
  {
    threadId: SessionId,
    runId: Type.String({ minLength: 1, maxLength: 255 }),
    messages: Type.Array(AgUiMessage),
    state: Type.Optional(Json),
    tools: optional(Type.Array(Type.Object({ name: Type.String() }, open))),
    context: optional(Type.Array(Type.Object({ description: Type.String(), value: Type.String() }, open))),
    resume: optional(
      Type.Array(
        Type.Object(
          {
            interruptId: Type.String(),
            status: Type.Union([Type.Literal("resolved"), Type.Literal("cancelled")]),
            payload: Type.Optional(Json),
          },
          open,
        ),
        { maxItems: 1, fault: "can answer one interrupt" },
      ),
    ),
  },
  open,
);
export type AgUiInput = Static<typeof AgUiInput>;

export const UiPart = Type.Object(
  {
    type: Type.String(),
    text: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    mediaType: Type.Optional(Type.String()),
    toolName: Type.Optional(Type.String()),
    toolCallId: Type.Optional(Type.String()),
    state: Type.Optional(Type.String()),
    input: Type.Optional(Json),
    output: Type.Optional(Json),
    errorText: Type.Optional(Type.String()),
    approval: Type.Optional(
      Type.Object(
        {
          id: Type.String(),
          approved: Type.Optional(Type.Boolean()),
          reason: Type.Optional(Type.String({ maxLength: 4096 })),
        },
        open,
      ),
    ),
  },
  open,
);
export type UiPart = Static<typeof UiPart>;

export const UiMessage = Type.Object(
  {
    role: Type.Union([Type.Literal("system"), Type.Literal("user"), Type.Literal("assistant")]),
    parts: Type.Array(UiPart),
  },
  open,
);
export type UiMessage = Static<typeof UiMessage>;

/** The request body that the AI SDK's `useChat` sends. */
export const UiChat = Type.Object({ messages: Type.Array(UiMessage, { minItems: 1 }) }, open);
export type UiChat = Static<typeof UiChat>;
