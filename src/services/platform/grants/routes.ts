import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Grant, GrantInput, GrantList } from "../../../contracts/platform/billing/grants.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { idempotencyKeyOf } from "../../../http/idempotency-key.ts";
import { idCursor, pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { operatorCredential, tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import { operatorKeyHeader } from "../operator-keys/once-by-key.ts";
import { giveGrant } from "./give-grant.ts";
import { listGrants } from "./list-grants.ts";

const tags = ["billing"];
const page = { limit: pageLimit({ default: 50, max: 200 }), cursor: idCursor };

/** Operators' routes for credits granted to a tenant. */
export const grantRoutes = (deps: CredentialDeps) =>
  new Elysia({ prefix: "/api/v1/admin" })
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .post(
      "/tenants/:id/grants",
      async ({ operator, params, body, request, call, set }) => {
        const key = idempotencyKeyOf(request);
        const { requestId } = call;
        set.status = 201;
        return giveGrant(deps, operator, { tenantId: params.id, input: body, requestId, key });
      },
      {
        ...jsonBody(GrantInput),
        response: { 201: Grant },
        detail: {
          tags,
          operationId: "createGrant",
          summary: "Grants a tenant credits, used after the included ones, soonest expiry first",
          parameters: [operatorKeyHeader],
        },
      },
    )
    .get("/tenants/:id/grants", async ({ params, query }) => listGrants(deps, params.id, query), {
      query: Type.Object(page),
      response: GrantList,
      detail: { tags, operationId: "listGrants", summary: "Lists a tenant's grants, newest first" },
    });

/** A tenant's own grants. */
export const ownGrantRoutes = (deps: CredentialDeps) =>
  new Elysia({ prefix: "/api/v1" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "read"))
    .get("/grants", async ({ tenant, query }) => listGrants(deps, tenant.tenantId, query), {
      query: Type.Object(page),
      response: GrantList,
      detail: { tags, operationId: "listOwnGrants", summary: "Lists the tenant's grants, newest first" },
    });
