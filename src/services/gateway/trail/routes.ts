import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { TenantId } from "../../../contracts/gateway/channels.ts";
import { MessageTrail } from "../../../contracts/gateway/trail.ts";
import { pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { type DeskDoor, deskCredential, deskTenant } from "../auth/desk-credential.ts";
import type { GatewayStorage } from "../tables.ts";
import { readTrail } from "./read-trail.ts";

/** The route that tells what became of messages. */
export const trailRoutes = ({ storage }: { storage: GatewayStorage }, door: DeskDoor) =>
  new Elysia({ prefix: "/admin/messages" })
    .use(jsonRoutes())
    .use(deskCredential(door))
    .get(
      "/:id/trail",
      async ({ params, query, desk }) =>
        readTrail(storage, { ...query, tenant: deskTenant(desk, query.tenant), id: params.id }),
      {
        query: Type.Object({
          tenant: Type.Optional(TenantId),
          limit: pageLimit({ default: 50, max: 200 }),
          offset: pageOffset(),
        }),
        response: MessageTrail,
        detail: {
          tags: ["messages"],
          operationId: "messageTrail",
          summary: "What became of the messages that an id, a provider's id or an address names",
        },
      },
    );
