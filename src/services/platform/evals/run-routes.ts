import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HostedEvalResults } from "../../../contracts/evals/hosted-evals.ts";
import {
  PlatformEvalOrder,
  PlatformEvalRun,
  PlatformEvalRunDetail,
  PlatformEvalRunList,
} from "../../../contracts/platform/evals.ts";
import { cancelEvalRun, getEvalRun, listEvalRuns, readEvalResults } from "../../../evals/hosted/read-runs.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { idCursor, pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { tenantCredential } from "../auth/credentials.ts";
import { limitTenantStorage } from "../room/tenant-room.ts";
import { limitTenantWrites } from "../tenants/management-limit.ts";
import { type EvalDeps, hosted, ownerOf } from "./deps.ts";
import { presentEvalRun, presentEvalRunDetail } from "./present-eval-run.ts";
import { startEvalRun } from "./start-eval-run.ts";

const tags = ["evals"];

const name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }));

/** Routes for runs of a tenant's evals. */
export const evalRunRoutes = (deps: EvalDeps) =>
  new Elysia({ prefix: "/api/v1" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "evals"))
    .derive(limitTenantWrites(deps))
    .derive(limitTenantStorage(deps))
    .post(
      "/evals/:name/runs",
      async ({ tenant, params, body, set }) => {
        set.status = 202;
        return presentEvalRun(await startEvalRun(deps, tenant, params.name, body));
      },
      {
        ...jsonBody(PlatformEvalOrder),
        response: { 202: PlatformEvalRun },
        detail: {
          tags,
          operationId: "startEvalRun",
          summary: "Runs an eval",
          description:
            "Asks a version of an agent each case, in the background. The cases are runs of the tenant: they count towards its limits and are charged.",
        },
      },
    )
    .get(
      "/eval-runs",
      async ({ tenant, query }) => {
        const { page, next } = await listEvalRuns(deps, ownerOf(tenant), query);
        return { runs: page.map(presentEvalRun), ...next };
      },
      {
        query: Type.Object({
          limit: pageLimit({ default: 20, max: 100 }),
          cursor: idCursor,
          eval: name("Only runs of this eval."),
          agent: name("Only runs that asked this agent."),
          checksum: name("Only runs that asked the version with this checksum."),
        }),
        response: PlatformEvalRunList,
        detail: { tags, operationId: "listEvalRuns", summary: "Lists runs of evals, newest first" },
      },
    )
    .get(
      "/eval-runs/:id",
      async ({ tenant, params }) => presentEvalRunDetail(await getEvalRun(deps, ownerOf(tenant), params.id)),
      {
        response: PlatformEvalRunDetail,
        detail: { tags, operationId: "getEvalRun", summary: "Returns a run of an eval with its figures" },
      },
    )
    .get(
      "/eval-runs/:id/results",
      async ({ tenant, params, query }) => readEvalResults(hosted(deps), ownerOf(tenant), params.id, query),
      {
        query: Type.Object({
          limit: pageLimit({ default: 50, max: 200 }),
          offset: pageOffset(),
          passed: Type.Optional(
            Type.Union([Type.Literal("true"), Type.Literal("false")], {
              description: "Only results that passed, or only those that failed.",
            }),
          ),
        }),
        response: HostedEvalResults,
        detail: { tags, operationId: "listEvalResults", summary: "Lists the results of a run" },
      },
    )
    .post(
      "/eval-runs/:id/cancel",
      async ({ tenant, params }) =>
        presentEvalRunDetail(await cancelEvalRun(deps, ownerOf(tenant), params.id)),
      {
        response: PlatformEvalRunDetail,
        detail: {
          tags,
          operationId: "cancelEvalRun",
          summary: "Cancels a run of an eval",
          description: "Cases under way are stopped without a charge. Results so far stay.",
        },
      },
    );
