import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { TenantId } from "../../../contracts/gateway/channels.ts";
import { ParkedEventPage, RetriedEvent } from "../../../contracts/gateway/inbound.ts";
import { pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { adminCredential } from "../auth/credentials.ts";
import { listParked } from "./list-parked.ts";
import { type RetryEventPorts, retryEvent } from "./retry-event.ts";

const tags = ["inbound"];

/** Routes through which operators look at parked events and retry them. */
export const parkedRoutes = (ports: RetryEventPorts, adminToken: string) =>
  new Elysia({ prefix: "/admin/inbound" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .get("", async ({ query }) => listParked(ports.storage, query), {
      query: Type.Object({
        tenant: Type.Optional(TenantId),
        limit: pageLimit({ default: 50, max: 200 }),
        offset: pageOffset(),
      }),
      response: ParkedEventPage,
      detail: { tags, operationId: "listParkedEvents", summary: "Parked delivered events, newest first" },
    })
    .post("/:id/retry", async ({ params }) => retryEvent(ports, params.id), {
      response: RetriedEvent,
      detail: {
        tags,
        operationId: "retryEvent",
        summary: "Processes a parked event again",
        description: "Its counts of failed tries and interruptions begin anew.",
      },
    });
