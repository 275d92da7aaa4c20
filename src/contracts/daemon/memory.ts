import { type Static, Type } from "@sinclair/typebox";
import { SessionId } from "./run.ts";

/** The path of one session's history. */
export const HistoryPath = Type.Object({ agent: Type.String(), session: SessionId });

export const History = Type.Object({
  agent: Type.String(),
  session_id: Type.String(),
  messages: Type.Array(Type.Object({ role: Type.String(), content: Type.String() })),
});
export type History = Static<typeof History>;

export const HistoryCleared = Type.Object({
  status: Type.Literal("cleared"),
  agent: Type.String(),
  session_id: Type.String(),
});
export type HistoryCleared = Static<typeof HistoryCleared>;
