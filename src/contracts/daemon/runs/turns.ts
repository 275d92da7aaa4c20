import { type Static, Type } from "@sinclair/typebox";

export const turnsMax = 50;
/** All turns of a run together, as JSON. */
export const turnBytesMax = 64 * 1024;

/** What was said in a conversation without a run of the agent. */
export const RunTurn = Type.Object(
  {
    role: Type.Union([Type.Literal("user"), Type.Literal("assistant")]),
    content: Type.String({ minLength: 1, maxLength: turnBytesMax }),
    at: Type.String({ maxLength: 40, description: "ISO 8601." }),
    by: Type.Optional(
      Type.Union(
        (["person", "program", "template", "device"] as const).map((by) => Type.Literal(by)),
        { description: "Who wrote it in the agent's place. `device`: a person, in the provider's own app." },
      ),
    ),
  },
  { additionalProperties: false },
);
export type RunTurn = Static<typeof RunTurn>;

export const RunTurns = Type.Array(RunTurn, {
  maxItems: turnsMax,
  description:
    "What was said since the agent's last turn without a run of it, oldest first, at most 64 KiB as JSON. Stored as turns of the session before the query.",
});
export type RunTurns = Static<typeof RunTurns>;
