import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HostedEvalDetail, HostedEvalList } from "../../../contracts/evals/hosted-evals.ts";
import {
  deleteEval,
  evalTag,
  getEval,
  listEvals,
  presentEvalDetail,
  putEval,
} from "../../../evals/hosted/eval-store.ts";
import { readSentEval } from "../../../evals/hosted/read-eval.ts";
import {
  type ManifestBody,
  manifestRequestBody,
  readManifestBody,
} from "../../../http/bodies/manifest-body.ts";
import { IfMatch, matchIn } from "../../../http/entity-tag.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { tenantCredential } from "../auth/credentials.ts";
import { limitTenantWrites } from "../tenants/management-limit.ts";
import { type EvalDeps, ownerOf } from "./deps.ts";

const tags = ["evals"];

const requestBody = manifestRequestBody(
  "Document of kind `Eval`, with its cases in it. `argosy schema eval` prints its JSON Schema.",
);

/** The route whose body is an eval. */
export const evalSpecRoutes = (deps: EvalDeps) =>
  new Elysia({ prefix: "/api/v1/evals" })
    .use(tenantCredential(deps, "evals"))
    .derive(limitTenantWrites(deps))
    .onParse(({ request, call }) => readManifestBody(request, call))
    .put(
      "/:name",
      async ({ tenant, params, body, request, set }) => {
        // The parser sets the body; a route without a schema has no type for it.
        const sent = await readSentEval(body as ManifestBody);
        const row = await putEval(deps, ownerOf(tenant), params.name, sent, matchIn(request.headers));
        set.headers.etag = evalTag(row);
        return presentEvalDetail(row);
      },
      {
        headers: IfMatch,
        response: HostedEvalDetail,
        detail: { tags, operationId: "putEval", summary: "Creates or replaces an eval", requestBody },
      },
    );

/** Routes for a tenant's evals. */
export const evalRoutes = (deps: EvalDeps) =>
  new Elysia({ prefix: "/api/v1/evals" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "evals"))
    .derive(limitTenantWrites(deps))
    .get("", async ({ tenant }) => ({ evals: await listEvals(deps, ownerOf(tenant)) }), {
      response: HostedEvalList,
      detail: { tags, operationId: "listEvals", summary: "Lists the tenant's evals" },
    })
    .get(
      "/:name",
      async ({ tenant, params, set }) => {
        const { read, tables } = deps.storage;
        const row = await getEval(read, tables, tenant.tenantId, params.name);
        set.headers.etag = evalTag(row);
        return presentEvalDetail(row);
      },
      {
        response: HostedEvalDetail,
        detail: { tags, operationId: "getEval", summary: "Returns an eval with its document" },
      },
    )
    .delete(
      "/:name",
      async ({ tenant, params, request, set }) => {
        await deleteEval(deps, ownerOf(tenant), params.name, matchIn(request.headers));
        set.status = 204;
      },
      {
        headers: IfMatch,
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "deleteEval",
          summary: "Deletes an eval",
          description: "Its runs stay. Versions that require it can't be published without it.",
        },
      },
    );
