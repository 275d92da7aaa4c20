import { type Static, Type } from "@sinclair/typebox";
import { SessionId } from "../runs/run.ts";

/** Path of one session's history. */
export const HistoryPath = Type.Object({ agent: Type.String(), session: SessionId });

const instant = (description: string) => Type.String({ description: `${description} ISO 8601 UTC.` });

const Message = Type.Object({
  role: Type.String(),
  content: Type.String(),
  seq: Type.Optional(
    Type.Integer({ description: "With `full`: position of the message in the session, from 1." }),
  ),
  timestamp: Type.Optional(instant("With `full`: time the message was stored.")),
  token_count: Type.Optional(Type.Integer({ description: "With `full`: estimated number of tokens." })),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "With `full`: metadata stored with the message.",
    }),
  ),
});

export const ConversationSummary = Type.Object(
  {
    text: Type.String(),
    up_to_seq: Type.Integer({ description: "Position of the last turn that the summary covers." }),
    token_count: Type.Integer(),
    timestamp: instant("Time the summary was created."),
  },
  { description: "Summary of the older turns, written by a model." },
);

export const History = Type.Object({
  agent: Type.String(),
  session_id: Type.String(),
  messages: Type.Array(Message),
  summary: Type.Optional(ConversationSummary),
  next_cursor: Type.Optional(Type.String({ description: "With `limit`: cursor for older messages." })),
});
export type History = Static<typeof History>;

export const HistoryCleared = Type.Object({
  status: Type.Literal("cleared"),
  agent: Type.String(),
  session_id: Type.String(),
});
export type HistoryCleared = Static<typeof HistoryCleared>;

export const MemorySession = Type.Object({
  session_id: Type.String(),
  turns: Type.Integer({ description: "Number of stored messages. A query and its answer count as two." }),
  tokens: Type.Integer({ description: "Estimated number of tokens in these messages." }),
  first_at: instant("Time the session started."),
  last_at: instant("Time of the latest message."),
  has_summary: Type.Boolean(),
});
export type MemorySession = Static<typeof MemorySession>;

export const MemorySessionList = Type.Object({
  agent: Type.String(),
  sessions: Type.Array(MemorySession),
  next_cursor: Type.Optional(Type.String()),
});
export type MemorySessionList = Static<typeof MemorySessionList>;

export const MemoryCleared = Type.Object({
  status: Type.Literal("cleared"),
  agent: Type.String(),
  sessions: Type.Integer({ description: "Number of sessions deleted." }),
});
export type MemoryCleared = Static<typeof MemoryCleared>;

/** One line of an export. Each session is followed by its turns; `end` is the last line of a complete export. */
export const MemoryExportLine = Type.Union([
  Type.Object({
    type: Type.Literal("session"),
    session_id: Type.String(),
    summary: Type.Optional(ConversationSummary),
  }),
  Type.Object({
    type: Type.Literal("turn"),
    session_id: Type.String(),
    seq: Type.Integer(),
    role: Type.String(),
    content: Type.String(),
    timestamp: Type.String(),
    token_count: Type.Integer(),
    metadata: Type.Record(Type.String(), Type.Unknown()),
  }),
  Type.Object({ type: Type.Literal("end"), sessions: Type.Integer(), turns: Type.Integer() }),
]);
export type MemoryExportLine = Static<typeof MemoryExportLine>;

export const exportMediaType = "application/jsonl";
