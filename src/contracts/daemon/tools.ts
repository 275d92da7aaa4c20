import { type Static, Type } from "@sinclair/typebox";
import { Proposal, SessionId } from "./runs/run.ts";

export const ToolList = Type.Object({
  tools: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.String(),
      description: Type.String(),
      agents: Type.Array(Type.String(), { description: "The agents that have this tool." }),
      parameters: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: "With `parameters=true`: JSON Schema of the input, as the first of the agents has it.",
        }),
      ),
      file: Type.Optional(
        Type.String({ description: "The workspace's file that a custom tool comes from." }),
      ),
      writes: Type.Optional(
        Type.Boolean({ description: "Whether a custom tool says that it changes something." }),
      ),
    }),
  ),
  broken_files: Type.Optional(
    Type.Array(
      Type.Object({
        file: Type.String({ description: "A file of `tools/`." }),
        message: Type.String(),
        line: Type.Optional(Type.Integer()),
        column: Type.Optional(Type.Integer()),
        serving: Type.Optional(Type.String({ description: "The tool whose last good version goes on." })),
      }),
      { description: "Files of custom tools that can't be loaded; absent: there are none." },
    ),
  ),
});
export type ToolList = Static<typeof ToolList>;

export const BuiltinToolList = Type.Object({
  tools: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      parameters: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema of the input." }),
    }),
  ),
  count: Type.Integer(),
});
export type BuiltinToolList = Static<typeof BuiltinToolList>;

export const ToolExecution = Type.Object(
  {
    tool: Type.String({ minLength: 1, maxLength: 255 }),
    input: Type.Record(Type.String(), Type.Unknown()),
    agent: Type.Optional(
      Type.String({ minLength: 1, maxLength: 63, description: "Whose tool entry gives the configuration." }),
    ),
    session_id: Type.Optional(SessionId),
    trace_content: Type.Optional(
      Type.Boolean({
        description:
          "For a tool that runs an agent: the same as in a run. Absent: as `observability.record` says.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ToolExecution = Static<typeof ToolExecution>;

export const ToolExecuted = Type.Object({
  tool: Type.String(),
  output: Type.Union([
    Type.Object({ success: Type.Literal(true), data: Type.Unknown() }),
    Type.Object({ success: Type.Literal(false), error: Type.String() }),
  ]),
  timing_ms: Type.Number(),
  propuestas: Type.Optional(
    Type.Array(Proposal, {
      description: "The call itself where the tool only proposes, or those of the agent it ran.",
    }),
  ),
});
export type ToolExecuted = Static<typeof ToolExecuted>;
