import { type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HostedEvalDetail, HostedEvalList } from "../../contracts/evals/hosted-evals.ts";
import {
  deleteEval,
  evalTag,
  getEval,
  listEvals,
  presentEvalDetail,
  putEval,
} from "../../evals/hosted/eval-store.ts";
import { readSentEval } from "../../evals/hosted/read-eval.ts";
import { type ManifestBody, manifestRequestBody, readManifestBody } from "../../http/bodies/manifest-body.ts";
import { IfMatch, matchIn } from "../../http/entity-tag.ts";
import { jsonRoutes } from "../../http/route-plugins.ts";
import { type EvalService, evalCredential } from "./eval-service.ts";

const tags = ["evals"];

const requestBody = manifestRequestBody(
  "Document of kind `Eval`, with its cases in it. `argosy schema eval` prints its JSON Schema.",
);

/** The route whose body is an eval. */
export const evalSpecRoutes = <Order extends TSchema>(service: EvalService<Order>) =>
  new Elysia({ prefix: `${service.prefix}/evals` })
    .use(evalCredential(service))
    .onParse(({ request, call }) => readManifestBody(request, call))
    .put(
      "/:name",
      async ({ caller: { owner, watch, gates }, params, body, request, set }) => {
        // The parser sets the body; a route without a schema has no type for it.
        const sent = await readSentEval(body as ManifestBody);
        const match = matchIn(request.headers);
        const row = await putEval(service.deps, owner, params.name, sent, { match, watch });
        set.headers.etag = evalTag(row);
        return presentEvalDetail(row, await gates());
      },
      {
        headers: IfMatch,
        response: HostedEvalDetail,
        detail: { tags, operationId: "putEval", summary: "Creates or replaces an eval", requestBody },
      },
    );

/** Routes for the evals of an owner. */
export const evalRoutes = <Order extends TSchema>(service: EvalService<Order>) => {
  const { prefix, deps, texts } = service;
  return new Elysia({ prefix: `${prefix}/evals` })
    .use(jsonRoutes())
    .use(evalCredential(service))
    .get(
      "",
      async ({ caller: { owner, gates } }) => ({ evals: await listEvals(deps, owner, await gates()) }),
      { response: HostedEvalList, detail: { tags, operationId: "listEvals", summary: "Lists evals" } },
    )
    .get(
      "/:name",
      async ({ caller: { owner, gates }, params, set }) => {
        const { read, tables } = deps.storage;
        const row = await getEval(read, tables, owner.ownerId, params.name);
        set.headers.etag = evalTag(row);
        return presentEvalDetail(row, await gates());
      },
      {
        response: HostedEvalDetail,
        detail: { tags, operationId: "getEval", summary: "Returns an eval with its document" },
      },
    )
    .delete(
      "/:name",
      async ({ caller: { owner, watch }, params, request, set }) => {
        await deleteEval(deps, owner, params.name, { match: matchIn(request.headers), watch });
        set.status = 204;
      },
      {
        headers: IfMatch,
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "deleteEval",
          summary: "Deletes an eval",
          description: texts.deleteEval,
        },
      },
    );
};
