import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { AwaitingApproval, AwaitingToolResult } from "../../../contracts/daemon/runs/awaited-run.ts";
import { RunResult } from "../../../contracts/daemon/runs/run.ts";
import {
  type ClientToolCall,
  ClientToolCallDetail,
  ClientToolCallList,
  ToolCallResult,
  ToolCallStatus,
} from "../../../contracts/daemon/runs/tool-calls.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { holdOpen } from "../../../http/call.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { Clock } from "../../../kit/clock.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { ApprovalVault } from "../paused-runs/approval-vault.ts";
import type { ClaimDeps } from "../paused-runs/claim-run.ts";
import type { PausedRuns } from "../paused-runs/paused-runs.ts";
import { outcomeOf, presentPausedRun } from "../paused-runs/present-paused-run.ts";
import type { ApprovalRow } from "../paused-runs/schema.ts";
import { listApprovals } from "../paused-runs/store.ts";
import { resultOrAwaited } from "../runs/run-once.ts";
import { streamEvents, wantsEvents } from "../runs/stream-run.ts";
import { answerCall, getCall } from "./answer-call.ts";

const ListQuery = Type.Object({
  status: Type.Optional(ToolCallStatus),
  agent: Type.Optional(
    Type.String({ maxLength: 63, description: "Returns only calls in runs of this agent." }),
  ),
  limit: pageLimit({ default: 50, max: 200 }),
});

const tags = ["tool calls"];

/** Routes for calls of tools with `type: client`, and for their results. */
export const toolCallRoutes = (deps: ClaimDeps & { clock: Clock }, pausedRuns: PausedRuns) =>
  new Elysia({ prefix: "/v1/tool-calls" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ query }) => {
        const rows = await listApprovals(pausedRuns.storage, operatorTenant, "tool_call", query);
        return { tool_calls: rows.map((row) => presentCall(pausedRuns.vault, row)) };
      },
      {
        query: ListQuery,
        response: ClientToolCallList,
        detail: {
          tags,
          operationId: "listToolCalls",
          summary: "Lists client tool calls, newest first",
        },
      },
    )
    .get("/:id", async ({ params }) => presentCallDetail(pausedRuns, await getCall(pausedRuns, params.id)), {
      response: ClientToolCallDetail,
      detail: {
        tags,
        operationId: "getToolCall",
        summary: "Returns a client tool call with the status of its run",
      },
    })
    .post(
      "/:id/result",
      async ({ params, body, request, call, set }) => {
        holdOpen(call, request);
        const stream = wantsEvents(request);
        const caller = { stream, signal: request.signal, requestId: call.requestId };
        const events = await answerCall(deps, pausedRuns, params.id, body, caller);
        if (stream) {
          return (await streamEvents(deps, () => events, { request, call })) as never;
        }
        const answer = await resultOrAwaited(events);
        if ("status" in answer) set.status = 202;
        return answer as never;
      },
      {
        ...jsonBody(ToolCallResult),
        response: { 200: RunResult, 202: Type.Union([AwaitingApproval, AwaitingToolResult]) },
        detail: {
          tags,
          operationId: "answerToolCall",
          summary: "Submits the result of a client tool call",
          description:
            "The run resumes once, with this result. Returns the result of the run, or 202 if the run waits again. With `Accept: text/event-stream`, streams the frames that follow the call. The run continues even if the client disconnects.",
        },
      },
    );

function presentCall(vault: ApprovalVault, row: ApprovalRow): ClientToolCall {
  return {
    // Such a call is never approved or rejected.
    ...presentPausedRun<ClientToolCall["status"]>(vault, row),
    ...(row.decidedAt === null ? {} : { answered_at: row.decidedAt.toISOString() }),
  };
}

/** Like `presentCall`, with the outcome of the run. */
async function presentCallDetail(pausedRuns: PausedRuns, row: ApprovalRow): Promise<ClientToolCallDetail> {
  return { ...presentCall(pausedRuns.vault, row), ...(await outcomeOf(pausedRuns, row)) };
}
