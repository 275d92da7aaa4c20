import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  ApprovalClosed,
  ApprovalDecision,
  ApprovalDetail,
  ApprovalList,
  ApprovalStatus,
  type DecisionAnswer,
} from "../../../contracts/daemon/runs/approvals.ts";
import { AwaitingApproval, AwaitingToolResult } from "../../../contracts/daemon/runs/awaited-run.ts";
import { RunResult } from "../../../contracts/daemon/runs/run.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";
import { resultOrAwaited } from "../runs/run-once.ts";
import { streamEvents, wantsEvents } from "../runs/stream-run.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import { decideApproval, getApproval } from "./decide-approval.ts";
import { presentApproval, presentDetail } from "./present-approval.ts";
import { listApprovals } from "./store.ts";

const ListQuery = Type.Object({
  status: Type.Optional(ApprovalStatus),
  agent: Type.Optional(Type.String({ maxLength: 63, description: "Only calls in runs of this agent." })),
  limit: pageLimit({ default: 50, max: 200 }),
});

const tags = ["approvals"];

const described = (verb: string, summary: string, more: string) => ({
  ...jsonBody(ApprovalDecision),
  response: {
    200: Type.Union([RunResult, ApprovalClosed]),
    202: Type.Union([AwaitingApproval, AwaitingToolResult]),
  },
  detail: {
    tags,
    operationId: `${verb}Call`,
    summary,
    description: `${more} The answer is the run's result, or 202 when it comes to another call that needs approval or that the caller carries out; with \`Accept: text/event-stream\` it is the frames of what follows the call. The run goes on also when the client leaves.`,
  },
});

/** Routes for calls of tools with `requires_approval`, and for decisions on them. */
export const approvalRoutes = (deps: DaemonDeps, desk: ApprovalDesk) => {
  const { vault, storage } = desk;
  return new Elysia({ prefix: "/v1/approvals" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ query }) => {
        const rows = await listApprovals(storage, operatorTenant, "approval", query);
        return { approvals: rows.map((row) => presentApproval(vault, row)) };
      },
      {
        query: ListQuery,
        response: ApprovalList,
        detail: { tags, operationId: "listApprovals", summary: "Calls that need a person, newest first" },
      },
    )
    .get("/:id", async ({ params }) => presentDetail(desk, await getApproval(desk, params.id)), {
      response: ApprovalDetail,
      detail: { tags, operationId: "getApproval", summary: "One of them, with what became of its run" },
    })
    .post(
      "/:id/approve",
      async ({ params, body, request, call, set }) =>
        (await answerDecision("approved", deps, desk, { id: params.id, body, request, call, set })) as never,
      described("approve", "Approves a call", "The call is carried out, once, and the run goes on."),
    )
    .post(
      "/:id/reject",
      async ({ params, body, request, call, set }) =>
        (await answerDecision("rejected", deps, desk, { id: params.id, body, request, call, set })) as never,
      described("reject", "Rejects a call", "The agent is told so, with the comment, and the run goes on."),
    );
};

interface DecisionCall {
  id: string;
  body: ApprovalDecision;
  request: Request;
  call: Call;
  set: { status?: number | string };
}

async function answerDecision(
  verdict: "approved" | "rejected",
  deps: DaemonDeps,
  desk: ApprovalDesk,
  { id, body, request, call, set }: DecisionCall,
): Promise<Response | DecisionAnswer> {
  holdOpen(call, request);
  const stream = wantsEvents(request);
  const decider = { stream, signal: request.signal, requestId: call.requestId };
  const decided = await decideApproval(deps, desk, id, { verdict, ...body }, decider);
  if ("closed" in decided) return decided.closed;
  if (stream) {
    return streamEvents(deps, () => decided.events, { request, call, withTrace: false });
  }
  const answer = await resultOrAwaited(decided.events, false);
  if ("status" in answer) set.status = 202;
  return answer;
}
