import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { PlatformApprovalList, PlatformDecision } from "../../../../contracts/platform/runs/approvals.ts";
import { RunAwaiting } from "../../../../contracts/platform/runs/run-frames.ts";
import { PlatformRunResult } from "../../../../contracts/platform/runs/runs.ts";
import { runToEnd } from "../../../../control-plane/runs/follow-run.ts";
import { jsonBody } from "../../../../http/bodies/json-body.ts";
import { type Call, holdOpen } from "../../../../http/call.ts";
import { pageLimit } from "../../../../http/paging.ts";
import { jsonRoutes } from "../../../../http/route-plugins.ts";
import type { Registrations } from "../../agents/registrations.ts";
import { listApprovals } from "../../approvals/list-approvals.ts";
import { type TenantActor, tenantCredential } from "../../auth/credentials.ts";
import type { TenantRunDeps } from "../deps.ts";
import { performRun } from "../perform-run.ts";
import { answerOf, type TenantRunAnswer } from "../run-once.ts";
import { readAlong } from "../streams/read-along.ts";
import { terminalFrame } from "../streams/stream-frames.ts";
import { runEvents, wantsEvents } from "../streams/stream-run.ts";
import { type Decision, decideApproval } from "./decide-approval.ts";

const tags = ["approvals"];

const ListQuery = Type.Object({
  status: Type.Optional(
    Type.Union([
      Type.Literal("pending"),
      Type.Literal("approved"),
      Type.Literal("rejected"),
      Type.Literal("expired"),
    ]),
  ),
  limit: pageLimit({ default: 50, max: 200 }),
});

const described = (verb: string, summary: string) => ({
  ...jsonBody(PlatformDecision),
  response: { 200: PlatformRunResult, 202: RunAwaiting },
  detail: {
    tags,
    operationId: `${verb}Call`,
    summary,
    description:
      "Returns the same response as a run. With `Accept: text/event-stream`, streams the frames that follow the call. The run continues and is charged even if the client disconnects. If the agent has changed or was deleted, the answer is 409 `agent_changed`, and a rejection ends the run without a charge.",
  },
});

/** Routes for calls of a tenant's runs that wait for a person. */
export const approvalRoutes = (deps: TenantRunDeps, registrations: Registrations) =>
  new Elysia({ prefix: "/api/v1/approvals" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "approvals"))
    .get(
      "",
      async ({ tenant, query: { status, limit } }) => listApprovals(deps, tenant.tenantId, { status, limit }),
      {
        query: ListQuery,
        response: PlatformApprovalList,
        detail: { tags, operationId: "listApprovals", summary: "Lists approvals, pending and decided" },
      },
    )
    .post(
      "/:id/approve",
      async ({ tenant, params: { id }, body, request, call, set }) => {
        const decision = { id, verdict: "approved" as const, ...body };
        const caller = { tenant, request, call };
        return sent(await answerDecision(deps, registrations, caller, decision), set);
      },
      described("approve", "Lets the run go on with the call"),
    )
    .post(
      "/:id/reject",
      async ({ tenant, params: { id }, body, request, call, set }) => {
        const decision = { id, verdict: "rejected" as const, ...body };
        const caller = { tenant, request, call };
        return sent(await answerDecision(deps, registrations, caller, decision), set);
      },
      described("reject", "Lets the run go on without the call"),
    );

function sent(answer: TenantRunAnswer | Response, set: { status?: number | string; headers: object }): never {
  if (answer instanceof Response) return answer as never;
  set.status = answer.status;
  Object.assign(set.headers, answer.headers);
  return answer.body as never;
}

/**
 * Takes a decision and answers like a run, with events if requested. The run continues to its end even if the client disconnects, so an
 * approved call is not left half done.
 */
async function answerDecision(
  deps: TenantRunDeps,
  registrations: Registrations,
  { tenant, request, call }: { tenant: TenantActor; request: Request; call: Call },
  decision: Omit<Decision, "stream">,
): Promise<TenantRunAnswer | Response> {
  holdOpen(call, request);
  const stream = wantsEvents(request);
  const run = await decideApproval(deps, registrations, tenant, { ...decision, stream });
  if (!stream) return answerOf(await runToEnd(performRun(deps, run)));
  const { invocationId } = run;
  const { items, ended } = readAlong(performRun(deps, run));
  deps.outlives(ended);
  const frames = async function* () {
    yield terminalFrame(invocationId, yield* items);
  };
  return runEvents(deps, { invocationId, frames }, { request, call });
}
