import { Type } from "@sinclair/typebox";

/*
 * The JSON of A2A 1.0 as far as agents here take it: ProtoJSON, in which absent and empty are the same.
 */

const Metadata = Type.Optional(Type.Record(Type.String(), Type.Unknown()));
const Id = Type.String({ maxLength: 255 });

const PartV1 = Type.Object({
  text: Type.Optional(Type.String()),
  data: Type.Optional(Type.Unknown()),
  raw: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  metadata: Metadata,
});

const MessageV1 = Type.Object({
  messageId: Type.String({ minLength: 1, maxLength: 255 }),
  contextId: Type.Optional(Id),
  taskId: Type.Optional(Id),
  role: Type.Union([Type.Literal("ROLE_USER"), Type.Literal("ROLE_AGENT")]),
  parts: Type.Array(PartV1, { minItems: 1, maxItems: 64 }),
  metadata: Metadata,
});

export const PushConfigV1 = Type.Object({
  id: Type.Optional(Id),
  taskId: Type.Optional(Id),
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  token: Type.Optional(Type.String({ maxLength: 1024 })),
  authentication: Type.Optional(
    Type.Object({
      scheme: Type.String({ maxLength: 64 }),
      credentials: Type.Optional(Type.String({ maxLength: 4096 })),
    }),
  ),
});

const HistoryLength = Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 }));

export const SendParamsV1 = Type.Object({
  message: MessageV1,
  configuration: Type.Optional(
    Type.Object({
      acceptedOutputModes: Type.Optional(Type.Array(Type.String())),
      taskPushNotificationConfig: Type.Optional(PushConfigV1),
      historyLength: HistoryLength,
      returnImmediately: Type.Optional(Type.Boolean()),
    }),
  ),
  metadata: Metadata,
});

export const ListParamsV1 = Type.Object({
  contextId: Type.Optional(Id),
  status: Type.Optional(Type.String({ maxLength: 64 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  pageToken: Type.Optional(Id),
  historyLength: HistoryLength,
  includeArtifacts: Type.Optional(Type.Boolean()),
});
