import { type Static, Type } from "@sinclair/typebox";

const awaitingFields = {
  call_id: Type.String(),
  session_id: Type.String(),
  agent: Type.String({ description: "The agent that was asked." }),
  tool: Type.String({ description: "The tool that the caller is to carry out." }),
  input: Type.Record(Type.String(), Type.Unknown(), { description: "What the tool is called with." }),
  expires_at: Type.String({ description: "ISO 8601 UTC; without a result until then, the run has ended." }),
};

export const AwaitingToolResult = Type.Object(
  { status: Type.Literal("awaiting_tool_result"), ...awaitingFields },
  { description: "The run has paused: `POST /v1/tool-calls/{call_id}/result` lets it go on." },
);
export type AwaitingToolResult = Static<typeof AwaitingToolResult>;

/** Last frame of a stream whose run waits for its caller. */
export const ToolResultFrame = Type.Object(
  { type: Type.Literal("tool_result_required"), ...awaitingFields },
  { description: "The run has paused, and the stream ends; it goes on with the result." },
);
export type ToolResultFrame = Static<typeof ToolResultFrame>;
