import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { DeliveryStatus, MessageSource, OutboxEntry, OutboxPage } from "../../../contracts/gateway/admin.ts";
import { ChannelName, TenantId } from "../../../contracts/gateway/channels.ts";
import { MessageStatus } from "../../../contracts/gateway/messages.ts";
import { pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { type DeskDoor, deskCredential, deskTenant } from "../auth/desk-credential.ts";
import { listOutbox } from "../outbox/list-outbox.ts";
import { type RetryPorts, retryMessage } from "./retry-message.ts";

const tags = ["outbox"];

/** Routes through which operators look at the outbox. */
export const outboxRoutes = (ports: RetryPorts, door: DeskDoor) =>
  new Elysia({ prefix: "/admin/outbox" })
    .use(jsonRoutes())
    .use(deskCredential(door))
    .get(
      "",
      async ({ query, desk }) =>
        listOutbox(ports.storage, { ...query, tenant: deskTenant(desk, query.tenant) }),
      {
        query: Type.Object({
          tenant: Type.Optional(TenantId),
          status: Type.Optional(MessageStatus),
          delivery_status: Type.Optional(DeliveryStatus),
          channel: Type.Optional(ChannelName),
          source: Type.Optional(MessageSource),
          limit: pageLimit({ default: 50, max: 200 }),
          offset: pageOffset(),
        }),
        response: OutboxPage,
        detail: {
          tags,
          operationId: "listOutbox",
          summary: "Outbound messages, newest first; without `source`, all but notices to webhooks",
        },
      },
    )
    .post("/:id/retry", async ({ params, desk }) => retryMessage(ports, desk, params.id), {
      response: OutboxEntry,
      detail: {
        tags,
        operationId: "retryMessage",
        summary:
          "Queues a failed message again; one that was refused after it was accepted is sent under a new id",
      },
    });
