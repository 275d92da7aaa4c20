import { type Static, Type } from "@sinclair/typebox";
import { Query, SessionId } from "./runs/run.ts";

/** Input of every tool `agent_<name>`. */
export const AgentToolInput = Type.Object(
  {
    query: Query("Query for the agent."),
    session_id: Type.Optional(
      Type.String({
        ...SessionId,
        description:
          "Session id of the conversation to continue, 1 to 255 characters. Default: this client's own conversation with the agent.",
      }),
    ),
    context: Type.Optional(
      Type.Unsafe<Record<string, unknown>>(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description:
              "Values for the agent's prompt templates, at most 64 KiB as JSON. Keys that start with `_` are reserved.",
          },
        ),
      ),
    ),
  },
  { additionalProperties: false },
);
export type AgentToolInput = Static<typeof AgentToolInput>;
