import { type Static, Type } from "@sinclair/typebox";
import { Proposal, SessionId } from "./runs/run.ts";
import { DeclaredSource } from "./runs/run-source.ts";

export const ToolList = Type.Object({
  tools: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.String(),
      description: Type.String(),
      agents: Type.Array(Type.String(), { description: "Agents that have this tool." }),
      parameters: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description:
            "With `parameters=true`: JSON Schema of the tool's input, as configured for the first agent in `agents`.",
        }),
      ),
      file: Type.Optional(Type.String({ description: "Workspace file that defines the custom tool." })),
      writes: Type.Optional(
        Type.Boolean({ description: "For a custom tool: true if it declares that it changes data." }),
      ),
    }),
  ),
  broken_files: Type.Optional(
    Type.Array(
      Type.Object({
        file: Type.String({ description: "File in `tools/`." }),
        message: Type.String(),
        line: Type.Optional(Type.Integer()),
        column: Type.Optional(Type.Integer()),
        serving: Type.Optional(
          Type.String({ description: "Name of the tool whose last valid version remains in use." }),
        ),
      }),
      { description: "Custom tool files that cannot be loaded; absent if there are none." },
    ),
  ),
});
export type ToolList = Static<typeof ToolList>;

export const BuiltinToolList = Type.Object({
  tools: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      parameters: Type.Record(Type.String(), Type.Unknown(), {
        description: "JSON Schema of the tool's input.",
      }),
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
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: "Agent whose tool entry provides the configuration.",
      }),
    ),
    session_id: Type.Optional(SessionId),
    trace_content: Type.Optional(
      Type.Boolean({
        description:
          "For a tool that runs an agent: same as `trace_content` of a run. Default: the value of `observability.record`.",
      }),
    ),
    source: Type.Optional(DeclaredSource),
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
      description:
        "Proposals: the call itself if the tool has `mode: propose`, or those of the agent that the tool ran.",
    }),
  ),
});
export type ToolExecuted = Static<typeof ToolExecuted>;
