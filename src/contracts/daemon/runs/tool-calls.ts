import { type Static, Type } from "@sinclair/typebox";
import type { AwaitingApproval, AwaitingToolResult } from "./awaited-run.ts";
import { RunResult } from "./run.ts";

export const ToolCallStatus = Type.Union(
  [Type.Literal("pending"), Type.Literal("answered"), Type.Literal("expired"), Type.Literal("failed")],
  { description: "Status of the call. `failed`: the run failed after the result was submitted." },
);
export type ToolCallStatus = Static<typeof ToolCallStatus>;

const callFields = {
  id: Type.String(),
  agent: Type.String({ description: "Agent that received the request." }),
  via: Type.Optional(Type.String({ description: "Agent that made the call, if it is not `agent`." })),
  session_id: Type.String(),
  tool: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown(), { description: "Input of the tool call." }),
  status: ToolCallStatus,
  created_at: Type.String({ description: "Creation time, ISO 8601 UTC." }),
  expires_at: Type.String({ description: "Expiry time, ISO 8601 UTC." }),
  answered_at: Type.Optional(Type.String({ description: "Time the result was submitted, ISO 8601 UTC." })),
};

export const ClientToolCall = Type.Object(callFields);
export type ClientToolCall = Static<typeof ClientToolCall>;

export const ClientToolCallDetail = Type.Object({
  ...callFields,
  result: Type.Optional(
    Type.Composite([RunResult], { description: "Result of the run, once it has ended." }),
  ),
  error: Type.Optional(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      { description: "Reason for the status `failed`." },
    ),
  ),
  next_call_id: Type.Optional(
    Type.String({ description: "Id of the next `client` tool call for which the run paused." }),
  ),
  next_approval_id: Type.Optional(
    Type.String({ description: "Id of the next approval for which the run paused." }),
  ),
});
export type ClientToolCallDetail = Static<typeof ClientToolCallDetail>;

export const ClientToolCallList = Type.Object({ tool_calls: Type.Array(ClientToolCall) });
export type ClientToolCallList = Static<typeof ClientToolCallList>;

export const ToolCallResult = Type.Object(
  {
    output: Type.Optional(
      Type.Unknown({
        description: "Result of the call: any JSON value, at most 512 Ki characters when serialized.",
      }),
    ),
    error: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4096,
        description: "Reason why the call could not be executed.",
      }),
    ),
  },
  { additionalProperties: false, description: "Result of the call; exactly one of `output` and `error`." },
);
export type ToolCallResult = Static<typeof ToolCallResult>;

export type ToolResultAnswer = RunResult | AwaitingApproval | AwaitingToolResult;
