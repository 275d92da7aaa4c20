import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { AwaitingApproval, AwaitingToolResult } from "../../../contracts/daemon/runs/awaited-run.ts";
import { RunRequest, RunResult } from "../../../contracts/daemon/runs/run.ts";
import { StreamTicket } from "../../../contracts/daemon/runs/stream-ticket.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { holdOpen } from "../../../http/call.ts";
import { idempotencyHeader, idempotencyKeyOf } from "../../../http/idempotency-key.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { upgradeToWebSocket } from "../../../http/streams/web-socket-session.ts";
import { senderIn } from "../manifests/read-sent.ts";
import { admitRun, type RunDeps } from "./admit-run.ts";
import { locateAgent } from "./locate-agent.ts";
import { runInput } from "./run-input.ts";
import { resultOrAwaited } from "./run-once.ts";
import { callerKey } from "./run-router.ts";
import { type AgentTickets, issueAgentTicket, requireStreamAccess, runSocket } from "./run-socket.ts";
import { streamRun, wantsEvents } from "./stream-run.ts";

const RunQuery = Type.Object({
  trace: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`true` includes the trace in the result, or in the `done` frame of the stream.",
    }),
  ),
  cost: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`true` includes the cost of the run in the result, or in the `done` frame of the stream.",
    }),
  ),
});

const SocketQuery = Type.Object({ ticket: Type.Optional(Type.String({ maxLength: 128 })) });

export const runRoutes = (deps: RunDeps & { tickets: AgentTickets }) => {
  const { tickets } = deps;
  return new Elysia()
    .use(jsonRoutes())
    .post(
      "/v1/agents/:name/run",
      async ({ params, body, query, request, call, set }) => {
        const agent = await locateAgent(deps, params.name, {
          override: body.override,
          sender: senderIn(call),
        });
        const key = idempotencyKeyOf(request);
        const parts = { withTrace: query.trace === "true", withCost: query.cost === "true" };
        if (wantsEvents(request)) {
          // Elysia sends a Response unchanged, but its types don't allow an async handler to return one or a result.
          return (await streamRun(deps, agent, body, { request, call, parts, key })) as never;
        }
        holdOpen(call, request);
        const replayed = () => {
          set.headers["idempotency-replayed"] = "true";
        };
        const caller = {
          stream: false,
          signal: request.signal,
          requestId: call.requestId,
          key: callerKey(key, replayed),
          outlives: true,
        };
        const events = admitRun(deps, agent, runInput(deps, body, caller), body.record);
        const answer = await resultOrAwaited(events, parts);
        if ("status" in answer) set.status = 202;
        return answer as never;
      },
      {
        ...jsonBody(RunRequest),
        query: RunQuery,
        response: { 200: RunResult, 202: Type.Union([AwaitingApproval, AwaitingToolResult]) },
        detail: {
          tags: ["runs"],
          operationId: "runAgent",
          summary: "Runs an agent",
          parameters: [
            idempotencyHeader(
              "Unique key of the run. The run continues if the client disconnects or the process dies. For 24 hours, a repeated request with the same key and body waits for the same answer.",
            ),
          ],
          description:
            "If the run reaches a call that needs approval, the response is 202 and the run resumes after the decision; see `/v1/approvals`. If it reaches a tool that the client executes, the response is 202 and the run resumes with the result; see `/v1/tool-calls`. With `Accept: text/event-stream`, the response is a stream of frames instead of one result. The WebSocket `/v1/ws/agent/{name}` sends the same frames for each `{query, session_id}` that it receives.",
        },
      },
    )
    .post(
      "/v1/agents/:name/stream-ticket",
      async ({ params, call }) => {
        await locateAgent(deps, params.name, { sender: senderIn(call) });
        return issueAgentTicket(tickets, params.name, call);
      },
      {
        response: StreamTicket,
        detail: {
          tags: ["runs"],
          operationId: "issueStreamTicket",
          summary: "Creates a one-time ticket for the agent's WebSocket",
        },
      },
    )
    .get(
      "/v1/ws/agent/:name",
      async ({ params, query, request, call }) => {
        const opening = { ticket: query.ticket, request, call };
        const caller = await requireStreamAccess(tickets, params.name, opening);
        await locateAgent(deps, params.name, caller);
        upgradeToWebSocket(request, call, runSocket(deps, params.name, { ...caller, call }));
      },
      {
        query: SocketQuery,
        detail: {
          tags: ["runs"],
          operationId: "openAgentSocket",
          summary: "Runs an agent over a WebSocket",
          description:
            "Send `{query, session_id}` as a JSON text; one run at a time. Frames are JSON texts with a `type`: `token`, `tool_call`, `tool_result`, `step`, `guardrail`, then `done` or `error`. Closing the socket cancels the run. Browsers can't set headers, so they send a `ticket` from `stream-ticket`.",
          responses: { 101: { description: "Socket opened." } },
        },
      },
    );
};
