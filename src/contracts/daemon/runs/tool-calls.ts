import { type Static, Type } from "@sinclair/typebox";
import type { AwaitingApproval, AwaitingToolResult } from "./awaited-run.ts";
import { RunResult } from "./run.ts";

export const ToolCallStatus = Type.Union(
  [Type.Literal("pending"), Type.Literal("answered"), Type.Literal("expired"), Type.Literal("failed")],
  { description: "`failed`: the run could not go on to its end after the result was handed in." },
);
export type ToolCallStatus = Static<typeof ToolCallStatus>;

const callFields = {
  id: Type.String(),
  agent: Type.String({ description: "The agent that was asked." }),
  via: Type.Optional(Type.String({ description: "The agent whose call it is, when that is another one." })),
  session_id: Type.String(),
  tool: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown(), { description: "What the tool is called with." }),
  status: ToolCallStatus,
  created_at: Type.String({ description: "ISO 8601 UTC." }),
  expires_at: Type.String({ description: "ISO 8601 UTC." }),
  answered_at: Type.Optional(Type.String({ description: "ISO 8601 UTC." })),
};

export const ClientToolCall = Type.Object(callFields);
export type ClientToolCall = Static<typeof ClientToolCall>;

export const ClientToolCallDetail = Type.Object({
  ...callFields,
  result: Type.Optional(
    Type.Composite([RunResult], { description: "Of the run, once it has come to its end." }),
  ),
  error: Type.Optional(
    Type.Object({ code: Type.String(), message: Type.String() }, { description: "With `failed`: why." }),
  ),
  next_call_id: Type.Optional(
    Type.String({ description: "The call of a `client` tool that the run paused at next." }),
  ),
  next_approval_id: Type.Optional(Type.String({ description: "The approval that the run waits for next." })),
});
export type ClientToolCallDetail = Static<typeof ClientToolCallDetail>;

export const ClientToolCallList = Type.Object({ tool_calls: Type.Array(ClientToolCall) });
export type ClientToolCallList = Static<typeof ClientToolCallList>;

export const ToolCallResult = Type.Object(
  {
    output: Type.Optional(
      Type.Unknown({ description: "What the call gave: any JSON, of at most 512 Ki characters as text." }),
    ),
    error: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4096, description: "Why the call could not be carried out." }),
    ),
  },
  { additionalProperties: false, description: "One of the two." },
);
export type ToolCallResult = Static<typeof ToolCallResult>;

export type ToolResultAnswer = RunResult | AwaitingApproval | AwaitingToolResult;
