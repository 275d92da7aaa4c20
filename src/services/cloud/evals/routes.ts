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
import { limitChanges } from "../access/change-limit.ts";
import { type OrgActor, orgCredential } from "../access/credentials.ts";
import { gatesOfOrg } from "../agents/kept-gates.ts";
import { limitOrgStorage } from "../room/org-room.ts";
import { type EvalDeps, ownerOf } from "./deps.ts";
import { guardEval } from "./guard-eval.ts";

const tags = ["evals"];

const requestBody = manifestRequestBody(
  "Document of kind `Eval`, with its cases in it. `argosy schema eval` prints its JSON Schema.",
);

const gatesIn =
  ({ storage: { read, tables } }: EvalDeps) =>
  ({ org }: OrgActor) =>
    gatesOfOrg(read, tables, org.id);

/** The route whose body is an eval. */
export const evalSpecRoutes = (deps: EvalDeps) => {
  const gates = gatesIn(deps);
  return new Elysia({ prefix: "/api/v1/orgs/:slug/evals" })
    .use(orgCredential(deps))
    .derive(limitChanges(deps))
    .derive(limitOrgStorage(deps))
    .onParse(({ request, call }) => readManifestBody(request, call))
    .put(
      "/:name",
      async ({ actor, params, body, request, set }) => {
        // The parser sets the body; a route without a schema has no type for it.
        const sent = await readSentEval(body as ManifestBody);
        const row = await putEval(deps, ownerOf(actor), params.name, sent, {
          match: matchIn(request.headers),
          watch: guardEval(deps, actor),
        });
        set.headers.etag = evalTag(row);
        return presentEvalDetail(row, await gates(actor));
      },
      {
        headers: IfMatch,
        response: HostedEvalDetail,
        detail: { tags, operationId: "putEval", summary: "Creates or replaces an eval", requestBody },
      },
    );
};

/** Routes for an org's evals. */
export const evalRoutes = (deps: EvalDeps) => {
  const gates = gatesIn(deps);
  return new Elysia({ prefix: "/api/v1/orgs/:slug/evals" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .derive(limitChanges(deps))
    .derive(limitOrgStorage(deps))
    .get("", async ({ actor }) => ({ evals: await listEvals(deps, ownerOf(actor), await gates(actor)) }), {
      response: HostedEvalList,
      detail: { tags, operationId: "listEvals", summary: "Evals of the org" },
    })
    .get(
      "/:name",
      async ({ actor, params, set }) => {
        const { read, tables } = deps.storage;
        const row = await getEval(read, tables, actor.org.id, params.name);
        set.headers.etag = evalTag(row);
        return presentEvalDetail(row, await gates(actor));
      },
      {
        response: HostedEvalDetail,
        detail: { tags, operationId: "getEval", summary: "Returns an eval with its document" },
      },
    )
    .delete(
      "/:name",
      async ({ actor, params, request, set }) => {
        await deleteEval(deps, ownerOf(actor), params.name, {
          match: matchIn(request.headers),
          watch: guardEval(deps, actor),
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
          description: "Its runs stay. Agents that require it can't be deployed without it.",
        },
      },
    );
};
