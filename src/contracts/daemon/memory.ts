import { type Static, Type } from "@sinclair/typebox";

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
