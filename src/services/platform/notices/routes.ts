import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  NewWebhook,
  NoticeDeliveryList,
  WebhookInput,
  WebhookList,
} from "../../../contracts/platform/notices.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { idCursor, pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { operatorCredential, type TenantActor, tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import { createHook, deleteHook, type HookDeps, listDeliveries, listHooks } from "./change-hooks.ts";
import { installation } from "./schema.ts";

const tags = ["notices"];
const page = { limit: pageLimit({ default: 50, max: 200 }), cursor: idCursor };

/** Operators' routes for the webhooks of the installation, which get notices of all tenants. */
export const noticeRoutes = (deps: CredentialDeps & HookDeps) =>
  new Elysia({ prefix: "/api/v1/admin/webhooks" })
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .post(
      "",
      async ({ operator, body, call, set }) => {
        set.status = 201;
        return createHook(deps, { ...operator, tenantId: installation }, body, call.requestId);
      },
      {
        ...jsonBody(WebhookInput),
        response: { 201: NewWebhook },
        detail: { tags, operationId: "createWebhook", summary: "Adds a webhook for notices of all tenants" },
      },
    )
    .get("", async () => listHooks(deps, installation), {
      response: WebhookList,
      detail: { tags, operationId: "listWebhooks", summary: "Lists the installation's webhooks" },
    })
    .delete(
      "/:id",
      async ({ operator, params, call, set }) => {
        const { requestId } = call;
        await deleteHook(deps, { ...operator, tenantId: installation }, { id: params.id, requestId });
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "deleteWebhook", summary: "Deletes a webhook of the installation" },
      },
    )
    .get(
      "/:id/deliveries",
      async ({ params, query }) => listDeliveries(deps, { tenantId: installation, id: params.id }, query),
      {
        query: Type.Object(page),
        response: NoticeDeliveryList,
        detail: { tags, operationId: "listDeliveries", summary: "Lists notices to a webhook, newest first" },
      },
    );

const ownerOf = ({ tenantId, author }: TenantActor) => ({ tenantId, actor: author });

/** A tenant's own webhooks. */
export const ownNoticeRoutes = (deps: CredentialDeps & HookDeps) =>
  new Elysia({ prefix: "/api/v1/webhooks" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "webhooks"))
    .post(
      "",
      async ({ tenant, body, call, set }) => {
        set.status = 201;
        return createHook(deps, ownerOf(tenant), body, call.requestId);
      },
      {
        ...jsonBody(WebhookInput),
        response: { 201: NewWebhook },
        detail: { tags, operationId: "createOwnWebhook", summary: "Adds a webhook for the tenant's notices" },
      },
    )
    .get("", async ({ tenant }) => listHooks(deps, tenant.tenantId), {
      response: WebhookList,
      detail: { tags, operationId: "listOwnWebhooks", summary: "Lists the tenant's webhooks" },
    })
    .delete(
      "/:id",
      async ({ tenant, params, call, set }) => {
        await deleteHook(deps, ownerOf(tenant), { id: params.id, requestId: call.requestId });
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "deleteOwnWebhook", summary: "Deletes a webhook of the tenant" },
      },
    )
    .get(
      "/:id/deliveries",
      async ({ tenant, params, query }) =>
        listDeliveries(deps, { tenantId: tenant.tenantId, id: params.id }, query),
      {
        query: Type.Object(page),
        response: NoticeDeliveryList,
        detail: {
          tags,
          operationId: "listOwnDeliveries",
          summary: "Lists notices to a webhook, newest first",
        },
      },
    );
