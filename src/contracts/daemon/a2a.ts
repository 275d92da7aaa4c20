import { type Static, Type } from "@sinclair/typebox";
import { SessionId } from "./runs/run.ts";

/** Version of the Agent2Agent protocol that the daemon speaks. */
export const a2aVersion = "0.3.0";

const Metadata = Type.Optional(Type.Record(Type.String(), Type.Unknown()));

/** A part of a message. Only text and data can be sent to an agent. */
export const A2aPart = Type.Union([
  Type.Object({ kind: Type.Literal("text"), text: Type.String(), metadata: Metadata }),
  Type.Object({
    kind: Type.Literal("data"),
    data: Type.Record(Type.String(), Type.Unknown()),
    metadata: Metadata,
  }),
  Type.Object({
    kind: Type.Literal("file"),
    file: Type.Record(Type.String(), Type.Unknown()),
    metadata: Metadata,
  }),
]);
export type A2aPart = Static<typeof A2aPart>;

export const A2aMessage = Type.Object({
  kind: Type.Optional(Type.Literal("message")),
  role: Type.Union([Type.Literal("user"), Type.Literal("agent")]),
  messageId: Type.String({ minLength: 1, maxLength: 255 }),
  parts: Type.Array(A2aPart, { minItems: 1, maxItems: 64 }),
  taskId: Type.Optional(Type.String({ maxLength: 255 })),
  /** Continues the conversation of this id. */
  contextId: Type.Optional(SessionId),
  metadata: Metadata,
});
export type A2aMessage = Static<typeof A2aMessage>;

const HistoryLength = Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 }));

export const A2aPushConfig = Type.Object({
  id: Type.Optional(Type.String({ maxLength: 255 })),
  url: Type.String({ minLength: 1, maxLength: 2048 }),
  token: Type.Optional(Type.String({ maxLength: 1024 })),
  authentication: Type.Optional(
    Type.Object({
      schemes: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 8 }),
      credentials: Type.Optional(Type.String({ maxLength: 4096 })),
    }),
  ),
});

export const A2aPushParams = Type.Object({
  taskId: Type.String({ minLength: 1, maxLength: 255 }),
  pushNotificationConfig: A2aPushConfig,
});

export const A2aSendParams = Type.Object({
  message: A2aMessage,
  configuration: Type.Optional(
    Type.Object({
      /** False: the answer is the task that has just begun. */
      blocking: Type.Optional(Type.Boolean()),
      acceptedOutputModes: Type.Optional(Type.Array(Type.String())),
      historyLength: HistoryLength,
      pushNotificationConfig: Type.Optional(A2aPushConfig),
    }),
  ),
  metadata: Metadata,
});
export type A2aSendParams = Static<typeof A2aSendParams>;

export const A2aTaskParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255 }),
  historyLength: HistoryLength,
  pushNotificationConfigId: Type.Optional(Type.String({ maxLength: 255 })),
  metadata: Metadata,
});

/** States of a task here; `submitted` and `working` change, the others are final. */
export type A2aState =
  | "submitted"
  | "working"
  | "input-required"
  | "completed"
  | "canceled"
  | "failed"
  | "rejected";

export interface A2aStatus {
  state: A2aState;
  timestamp: string;
  message?: A2aMessage;
}

export interface A2aArtifact {
  artifactId: string;
  name: string;
  parts: A2aPart[];
}

export interface A2aTask {
  kind: "task";
  id: string;
  contextId: string;
  status: A2aStatus;
  artifacts?: A2aArtifact[];
  history?: A2aMessage[];
  metadata?: Record<string, unknown>;
}

/** Events of `message/stream`, each sent as the result of a JSON-RPC response. */
export type A2aUpdate =
  | A2aTask
  | {
      kind: "artifact-update";
      taskId: string;
      contextId: string;
      artifact: A2aArtifact;
      append: boolean;
      lastChunk: boolean;
    }
  | {
      kind: "status-update";
      taskId: string;
      contextId: string;
      status: A2aStatus;
      final: boolean;
      metadata?: Record<string, unknown>;
    };
