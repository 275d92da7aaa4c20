import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HostedEvalResults } from "../../contracts/evals/hosted-evals.ts";
import { cancelEvalRun, getEvalRun, listEvalRuns, readEvalResults } from "../../evals/hosted/read-runs.ts";
import type { BriefRun } from "../../evals/hosted/tables.ts";
import { jsonBody } from "../../http/bodies/json-body.ts";
import { idCursor, pageLimit, pageOffset } from "../../http/paging.ts";
import { jsonRoutes } from "../../http/route-plugins.ts";
import { type EvalService, evalCredential } from "./eval-service.ts";

const tags = ["evals"];

const name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }));

/** Routes for runs of an owner's evals. */
export const evalRunRoutes = <Order extends TSchema>(service: EvalService<Order>) => {
  const { prefix, deps, schemas, present, texts } = service;
  const presentDetail = (row: BriefRun) => ({ ...present(row), summary: row.summary });
  return new Elysia({ prefix })
    .use(jsonRoutes())
    .use(evalCredential(service))
    .post(
      "/evals/:name/runs",
      async ({ caller, params, body, set }) => {
        set.status = 202;
        return present(await caller.order(params.name, body as Static<Order>));
      },
      {
        ...jsonBody<TSchema>(schemas.order),
        response: { 202: schemas.run },
        detail: {
          tags,
          operationId: "startEvalRun",
          summary: "Runs an eval",
          description: texts.startEvalRun,
        },
      },
    )
    .get(
      "/eval-runs",
      async ({ caller: { owner }, query }) => {
        const { page, next } = await listEvalRuns(deps, owner, query);
        return { runs: page.map(present), ...next };
      },
      {
        query: Type.Object({
          limit: pageLimit({ default: 20, max: 100 }),
          cursor: idCursor,
          eval: name("Only runs of this eval."),
          agent: name("Only runs that asked this agent."),
          checksum: name("Only runs that asked the version with this checksum."),
        }),
        response: schemas.list,
        detail: { tags, operationId: "listEvalRuns", summary: "Lists runs of evals, newest first" },
      },
    )
    .get(
      "/eval-runs/:id",
      async ({ caller: { owner }, params }) => presentDetail(await getEvalRun(deps, owner, params.id)),
      {
        response: schemas.detail,
        detail: { tags, operationId: "getEvalRun", summary: "Returns a run of an eval with its figures" },
      },
    )
    .get(
      "/eval-runs/:id/results",
      async ({ caller: { owner }, params, query }) => readEvalResults(deps, owner, params.id, query),
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
      async ({ caller: { owner }, params }) => presentDetail(await cancelEvalRun(deps, owner, params.id)),
      {
        response: schemas.detail,
        detail: {
          tags,
          operationId: "cancelEvalRun",
          summary: "Cancels a run of an eval",
          description: texts.cancelEvalRun,
        },
      },
    );
};
