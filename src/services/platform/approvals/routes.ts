import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { PlatformApprovalList, PlatformDecision } from "../../../contracts/platform/approvals.ts";
import { RunAwaiting } from "../../../contracts/platform/run-frames.ts";
import { PlatformRunResult } from "../../../contracts/platform/runs.ts";
import { holdOpen } from "../../../http/call.ts";
import { jsonBody } from "../../../http/json-body.ts";
import { pageLimit } from "../../../http/page-limit.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { tenantCredential } from "../auth/credentials.ts";
import type { PlatformDeps } from "../deps.ts";
import type { Registrations } from "../runs/registrations.ts";
import { decideApproval } from "./decide-approval.ts";
import { listApprovals } from "./list-approvals.ts";

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

const decided = {
  ...jsonBody(PlatformDecision),
  response: { 200: PlatformRunResult, 202: RunAwaiting },
};

/** Calls of a tenant's runs that wait for a person. */
export const approvalRoutes = (deps: PlatformDeps, registrations: Registrations) =>
  new Elysia({ prefix: "/api/v1/approvals" })
    .use(jsonRoutes())
    .use(tenantCredential(deps))
    .get(
      "",
      async ({ tenant, query: { status, limit } }) => listApprovals(deps, tenant.tenantId, { status, limit }),
      {
        query: ListQuery,
        response: PlatformApprovalList,
        detail: { tags, operationId: "listApprovals", summary: "Calls that wait or waited for a decision" },
      },
    )
    .post(
      "/:id/approve",
      async ({ tenant, params: { id }, body: { comment }, request, call, set }) => {
        holdOpen(call, request);
        const decision = { id, verdict: "approved" as const, comment };
        const answer = await decideApproval(deps, registrations, tenant, decision);
        set.status = answer.status;
        Object.assign(set.headers, answer.headers);
        return answer.body as never;
      },
      {
        ...decided,
        detail: {
          tags,
          operationId: "approveCall",
          summary: "Lets the run go on with the call; answers as a run does",
        },
      },
    )
    .post(
      "/:id/reject",
      async ({ tenant, params: { id }, body: { comment }, request, call, set }) => {
        holdOpen(call, request);
        const decision = { id, verdict: "rejected" as const, comment };
        const answer = await decideApproval(deps, registrations, tenant, decision);
        set.status = answer.status;
        Object.assign(set.headers, answer.headers);
        return answer.body as never;
      },
      {
        ...decided,
        detail: {
          tags,
          operationId: "rejectCall",
          summary: "Lets the run go on without the call; answers as a run does",
        },
      },
    );
