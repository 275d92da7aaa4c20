import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  CloudEvalOrder,
  CloudEvalRun,
  CloudEvalRunDetail,
  CloudEvalRunList,
} from "../../../contracts/cloud/evals.ts";
import { HostedEvalResults } from "../../../contracts/evals/hosted-evals.ts";
import { cancelEvalRun, getEvalRun, listEvalRuns, readEvalResults } from "../../../evals/hosted/read-runs.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { idCursor, pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { limitChanges } from "../access/change-limit.ts";
import { orgCredential } from "../access/credentials.ts";
import { limitOrgStorage } from "../room/org-room.ts";
import { type EvalDeps, hosted, ownerOf } from "./deps.ts";
import { presentEvalRun, presentEvalRunDetail } from "./present-eval-run.ts";
import { startEvalRun } from "./start-eval-run.ts";

const tags = ["evals"];

const name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }));

/** Routes for runs of an org's evals. */
export const evalRunRoutes = (deps: EvalDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .derive(limitChanges(deps))
    .derive(limitOrgStorage(deps))
    .post(
      "/evals/:name/runs",
      async ({ actor, params, body, set }) => {
        set.status = 202;
        return presentEvalRun(await startEvalRun(deps, actor, params.name, body));
      },
      {
        ...jsonBody(CloudEvalOrder),
        response: { 202: CloudEvalRun },
        detail: {
          tags,
          operationId: "startEvalRun",
          summary: "Runs an eval",
          description:
            "Asks an agent each case, in the background. The cases are runs of the org: they count towards its daily limit and use its provider keys.",
        },
      },
    )
    .get(
      "/eval-runs",
      async ({ actor, query }) => {
        const { page, next } = await listEvalRuns(deps, ownerOf(actor), query);
        return { runs: page.map(presentEvalRun), ...next };
      },
      {
        query: Type.Object({
          limit: pageLimit({ default: 20, max: 100 }),
          cursor: idCursor,
          eval: name("Only runs of this eval."),
          agent: name("Only runs that asked this agent."),
          checksum: name("Only runs that asked the manifest with this checksum."),
        }),
        response: CloudEvalRunList,
        detail: { tags, operationId: "listEvalRuns", summary: "Lists runs of evals, newest first" },
      },
    )
    .get(
      "/eval-runs/:id",
      async ({ actor, params }) => presentEvalRunDetail(await getEvalRun(deps, ownerOf(actor), params.id)),
      {
        response: CloudEvalRunDetail,
        detail: { tags, operationId: "getEvalRun", summary: "Returns a run of an eval with its figures" },
      },
    )
    .get(
      "/eval-runs/:id/results",
      async ({ actor, params, query }) => readEvalResults(hosted(deps), ownerOf(actor), params.id, query),
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
      async ({ actor, params }) => presentEvalRunDetail(await cancelEvalRun(deps, ownerOf(actor), params.id)),
      {
        response: CloudEvalRunDetail,
        detail: {
          tags,
          operationId: "cancelEvalRun",
          summary: "Cancels a run of an eval",
          description: "Cases under way are stopped. Results so far stay.",
        },
      },
    );
