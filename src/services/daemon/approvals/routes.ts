import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  type Approval,
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
import { decideApproval, getApproval } from "./decide-approval.ts";

const ListQuery = Type.Object({
  status: Type.Optional(ApprovalStatus),
  agent: Type.Optional(
    Type.String({ maxLength: 63, description: "Returns only calls in runs of this agent." }),
  ),
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
    description: `${more} Returns the result of the run, or 202 if the run reaches another call that needs approval or that the client executes. With \`Accept: text/event-stream\`, streams the frames that follow the call. The run continues even if the client disconnects.`,
  },
});

export interface ApprovalRoutesDeps extends ClaimDeps {
  clock: Clock;
}

/** Routes for calls of tools with `requires_approval`, and for decisions on them. */
export const approvalRoutes = (deps: ApprovalRoutesDeps, pausedRuns: PausedRuns) => {
  const { vault, storage } = pausedRuns;
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
        detail: {
          tags,
          operationId: "listApprovals",
          summary: "Lists calls that wait for approval, newest first",
        },
      },
    )
    .get("/:id", async ({ params }) => presentDetail(pausedRuns, await getApproval(pausedRuns, params.id)), {
      response: ApprovalDetail,
      detail: { tags, operationId: "getApproval", summary: "Returns an approval with the status of its run" },
    })
    .post(
      "/:id/approve",
      async ({ params, body, request, call, set }) =>
        (await answerDecision("approved", deps, pausedRuns, {
          id: params.id,
          body,
          request,
          call,
          set,
        })) as never,
      described("approve", "Approves a call", "The call is executed once, and the run resumes."),
    )
    .post(
      "/:id/reject",
      async ({ params, body, request, call, set }) =>
        (await answerDecision("rejected", deps, pausedRuns, {
          id: params.id,
          body,
          request,
          call,
          set,
        })) as never,
      described(
        "reject",
        "Rejects a call",
        "The agent receives the rejection and the comment, and the run resumes.",
      ),
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
  deps: ApprovalRoutesDeps,
  pausedRuns: PausedRuns,
  { id, body, request, call, set }: DecisionCall,
): Promise<Response | DecisionAnswer> {
  holdOpen(call, request);
  const stream = wantsEvents(request);
  const decider = { stream, signal: request.signal, requestId: call.requestId };
  const decided = await decideApproval(deps, pausedRuns, id, { verdict, ...body }, decider);
  if ("closed" in decided) return decided.closed;
  if (stream) {
    return streamEvents(deps, () => decided.events, { request, call });
  }
  const answer = await resultOrAwaited(decided.events);
  if ("status" in answer) set.status = 202;
  return answer;
}

function presentApproval(vault: ApprovalVault, row: ApprovalRow): Approval {
  const comment = vault.open("comment", row);
  return {
    // Only calls that a caller carries out have the status `answered`.
    ...presentPausedRun<Approval["status"]>(vault, row),
    ...(row.decidedAt === null ? {} : { decided_at: row.decidedAt.toISOString() }),
    ...(comment === undefined ? {} : { comment }),
  };
}

/** Like `presentApproval`, with the outcome of the run. */
async function presentDetail(pausedRuns: PausedRuns, row: ApprovalRow): Promise<ApprovalDetail> {
  return { ...presentApproval(pausedRuns.vault, row), ...(await outcomeOf(pausedRuns, row)) };
}
