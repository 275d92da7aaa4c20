import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Connection, ConnectionInput, ConnectionList } from "../../../contracts/platform/connections.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { tenantCredential } from "../auth/credentials.ts";
import { limitTenantStorage } from "../room/tenant-room.ts";
import { limitTenantWrites } from "../tenants/management-limit.ts";
import { deleteConnection, listConnections, putConnection } from "./change-connections.ts";
import type { ConnectionDeps } from "./deps.ts";

const tags = ["connections"];

/** Routes for the credentials of a tenant's tools. Credentials can be written but never read. */
export const connectionRoutes = (deps: ConnectionDeps) =>
  new Elysia({ prefix: "/api/v1/connections" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "connections"))
    .derive(limitTenantWrites(deps))
    .derive(limitTenantStorage(deps))
    .get("", async ({ tenant }) => listConnections(deps, tenant), {
      response: ConnectionList,
      detail: {
        tags,
        operationId: "listConnections",
        summary: "Lists the tenant's connections without credentials",
      },
    })
    .put("/:name", async ({ tenant, params, body }) => putConnection(deps, tenant, params.name, body), {
      ...jsonBody(ConnectionInput),
      response: Connection,
      detail: { tags, operationId: "putConnection", summary: "Creates or replaces a connection" },
    })
    .delete(
      "/:name",
      async ({ tenant, params, set }) => {
        await deleteConnection(deps, tenant, params.name);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "deleteConnection", summary: "Deletes a connection" },
      },
    );
