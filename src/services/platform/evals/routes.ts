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
import { gatesOfTenant } from "../agents/standing-gate.ts";
import { type TenantActor, tenantCredential } from "../auth/credentials.ts";
import { limitTenantStorage } from "../room/tenant-room.ts";
import { limitTenantWrites } from "../tenants/management-limit.ts";
import { type EvalDeps, ownerOf } from "./deps.ts";
import { guardEval } from "./guard-eval.ts";

const tags = ["evals"];

const requestBody = manifestRequestBody(
  "Document of kind `Eval`, with its cases in it. `argosy schema eval` prints its JSON Schema.",
);

const gatesIn =
  ({ storage: { read, tables } }: EvalDeps) =>
  ({ tenantId }: TenantActor) =>
    gatesOfTenant(read, tables, tenantId);

/** The route whose body is an eval. */
export const evalSpecRoutes = (deps: EvalDeps) => {
  const gates = gatesIn(deps);
  return new Elysia({ prefix: "/api/v1/evals" })
    .use(tenantCredential(deps, "evals"))
    .derive(limitTenantWrites(deps))
    .derive(limitTenantStorage(deps))
    .onParse(({ request, call }) => readManifestBody(request, call))
    .put(
      "/:name",
      async ({ tenant, params, body, request, set }) => {
        // The parser sets the body; a route without a schema has no type for it.
        const sent = await readSentEval(body as ManifestBody);
        const row = await putEval(deps, ownerOf(tenant), params.name, sent, {
          match: matchIn(request.headers),
          watch: guardEval(deps, tenant),
        });
        set.headers.etag = evalTag(row);
        return presentEvalDetail(row, await gates(tenant));
      },
      {
        headers: IfMatch,
        response: HostedEvalDetail,
        detail: { tags, operationId: "putEval", summary: "Creates or replaces an eval", requestBody },
      },
    );
};

/** Routes for a tenant's evals. */
export const evalRoutes = (deps: EvalDeps) => {
  const gates = gatesIn(deps);
  return new Elysia({ prefix: "/api/v1/evals" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "evals"))
    .derive(limitTenantWrites(deps))
    .derive(limitTenantStorage(deps))
    .get("", async ({ tenant }) => ({ evals: await listEvals(deps, ownerOf(tenant), await gates(tenant)) }), {
      response: HostedEvalList,
      detail: { tags, operationId: "listEvals", summary: "Lists the tenant's evals" },
    })
    .get(
      "/:name",
      async ({ tenant, params, set }) => {
        const { read, tables } = deps.storage;
        const row = await getEval(read, tables, tenant.tenantId, params.name);
        set.headers.etag = evalTag(row);
        return presentEvalDetail(row, await gates(tenant));
      },
      {
        response: HostedEvalDetail,
        detail: { tags, operationId: "getEval", summary: "Returns an eval with its document" },
      },
    )
    .delete(
      "/:name",
      async ({ tenant, params, request, set }) => {
        await deleteEval(deps, ownerOf(tenant), params.name, {
          match: matchIn(request.headers),
          watch: guardEval(deps, tenant),
        });
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
};
