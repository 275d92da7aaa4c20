import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  PlatformEvalOrder,
  PlatformEvalResults,
  PlatformEvalRun,
  PlatformEvalRunDetail,
  PlatformEvalRunList,
} from "../../../contracts/platform/evals.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { idCursor, pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { tenantCredential } from "../auth/credentials.ts";
import { limitTenantWrites } from "../tenants/management-limit.ts";
import type { EvalDeps } from "./deps.ts";
import { presentEvalRun } from "./present-eval-run.ts";
import { cancelEvalRun, listEvalRuns, readEvalResults, readEvalRun } from "./read-eval-runs.ts";
import { startEvalRun } from "./start-eval-run.ts";

const tags = ["evals"];

const name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }));

/** Routes for runs of a tenant's evals. */
export const evalRunRoutes = (deps: EvalDeps) =>
  new Elysia({ prefix: "/api/v1" })
    .use(jsonRoutes())
    .use(tenantCredential(deps))
    .derive(limitTenantWrites(deps))
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
    .get("/eval-runs", async ({ tenant, query }) => listEvalRuns(deps, tenant, query), {
      query: Type.Object({
        limit: pageLimit({ default: 20, max: 100 }),
        cursor: idCursor,
        eval: name("Only runs of this eval."),
        agent: name("Only runs that asked this agent."),
        checksum: name("Only runs that asked the version with this checksum."),
      }),
      response: PlatformEvalRunList,
      detail: { tags, operationId: "listEvalRuns", summary: "Lists runs of evals, newest first" },
    })
    .get("/eval-runs/:id", async ({ tenant, params }) => readEvalRun(deps, tenant, params.id), {
      response: PlatformEvalRunDetail,
      detail: { tags, operationId: "getEvalRun", summary: "Returns a run of an eval with its figures" },
    })
    .get(
      "/eval-runs/:id/results",
      async ({ tenant, params, query: { passed, ...page } }) =>
        readEvalResults(deps, tenant, params.id, {
          ...page,
          passed: passed === undefined ? undefined : passed === "true",
        }),
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
        response: PlatformEvalResults,
        detail: { tags, operationId: "listEvalResults", summary: "Lists the results of a run" },
      },
    )
    .post("/eval-runs/:id/cancel", async ({ tenant, params }) => cancelEvalRun(deps, tenant, params.id), {
      response: PlatformEvalRunDetail,
      detail: {
        tags,
        operationId: "cancelEvalRun",
        summary: "Cancels a run of an eval",
        description: "Cases under way are stopped without a charge. Results so far stay.",
      },
    });
