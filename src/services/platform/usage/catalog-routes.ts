import { Elysia } from "elysia";
import { RuntimeCatalog } from "../../../contracts/runtime/catalog.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";

/** Route for the tools and settings that agents may declare. */
export const catalogRoutes = (deps: CredentialDeps & { runtime: Pick<RuntimeClient, "catalog"> }) =>
  new Elysia({ prefix: "/api/v1/catalog" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "read"))
    .get("", async () => deps.runtime.catalog(), {
      response: RuntimeCatalog,
      detail: {
        tags: ["agents"],
        operationId: "getCatalog",
        summary: "Lists the tools that agents can declare",
      },
    });
