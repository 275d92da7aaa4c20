import { Elysia } from "elysia";
import { StorageLimits } from "../../../contracts/gateway/stored.ts";
import { StoredBytes } from "../../../contracts/runtime/stored.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { elsewhere, noteElsewhere, storedOf } from "../../../storage/room.ts";
import { senderCredential } from "../auth/credentials.ts";
import type { GatewayStorage } from "../tables.ts";
import { tellLimits } from "./storage-room.ts";

/** The route by which the platform tells how much its tenants may store, and learns what they store here. */
export const storageRoutes = ({ storage }: { storage: GatewayStorage }, senderKey: string) =>
  new Elysia({ prefix: "/api/v1/storage" })
    .use(jsonRoutes())
    .use(senderCredential(senderKey))
    .put(
      "/limits",
      async ({ body: { tenants } }) => {
        await tellLimits(
          storage,
          tenants.map(({ tenant_id: tenantId, limit_bytes: bytes }) => ({ tenantId, bytes })),
        );
        await noteElsewhere(
          storage,
          tenants.map(({ tenant_id: owner_id, elsewhere_bytes: bytes }) => ({
            owner_id,
            area: elsewhere,
            bytes,
          })),
        );
        return { stored: await storedOf(storage, [...new Set(tenants.map(({ tenant_id: id }) => id))]) };
      },
      {
        ...jsonBody(StorageLimits),
        response: StoredBytes,
        detail: {
          tags: ["storage"],
          operationId: "tellStorageLimits",
          summary: "Says how much tenants may store; answers what they store in the gateway",
        },
      },
    );
