import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  Adjustment,
  AdjustmentInput,
  AdjustmentList,
  ListedUsageEvent,
  UsageEventList,
  VoidedEventInput,
} from "../../../contracts/platform/billing/corrections.ts";
import { Month } from "../../../contracts/platform/billing/fields.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { idempotencyKeyOf } from "../../../http/idempotency-key.ts";
import { cursor } from "../../../http/page-cursor.ts";
import { idCursor, pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { operatorCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import { operatorKeyHeader } from "../operator-keys/once-by-key.ts";
import { adjustBill, listAdjustments } from "./adjust-bill.ts";
import { listEvents, voidEvent } from "./void-event.ts";

const tags = ["billing"];
const limit = pageLimit({ default: 50, max: 200 });

/** Operators' routes that correct open bills. */
export const correctionRoutes = (deps: CredentialDeps) =>
  new Elysia({ prefix: "/api/v1/admin" })
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .post(
      "/tenants/:id/adjustments",
      async ({ operator, params, body, request, call, set }) => {
        const key = idempotencyKeyOf(request);
        const { requestId } = call;
        set.status = 201;
        return adjustBill(deps, operator, { tenantId: params.id, input: body, requestId, key });
      },
      {
        ...jsonBody(AdjustmentInput),
        response: { 201: Adjustment },
        detail: {
          tags,
          operationId: "createAdjustment",
          summary: "Adds a signed charge `ajuste` to an open month of a tenant",
          parameters: [operatorKeyHeader],
        },
      },
    )
    .get("/tenants/:id/adjustments", async ({ params, query }) => listAdjustments(deps, params.id, query), {
      query: Type.Object({ limit, cursor: idCursor }),
      response: AdjustmentList,
      detail: { tags, operationId: "listAdjustments", summary: "Lists a tenant's adjustments, newest first" },
    })
    .get("/subscriptions/:id/usage-events", async ({ params, query }) => listEvents(deps, params.id, query), {
      query: Type.Object({ period: Type.Optional(Month), limit, cursor }),
      response: UsageEventList,
      detail: {
        tags,
        operationId: "listUsageEvents",
        summary: "Lists usage events of a subscription, latest first",
      },
    })
    .post(
      "/subscriptions/:id/usage-events/void",
      async ({ operator, params, body, call }) =>
        voidEvent(deps, operator, { id: params.id, input: body, requestId: call.requestId }),
      {
        ...jsonBody(VoidedEventInput),
        response: ListedUsageEvent,
        detail: {
          tags,
          operationId: "voidUsageEvent",
          summary: "Voids a usage event of an open period, so that it no longer counts",
        },
      },
    );
