import { type Static, Type } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import { Elysia } from "elysia";
import {
  AdminSendInput,
  MessageOutcome,
  QueuedMessage,
  SendAccount,
  SendInput,
  SendOnBehalfInput,
} from "../../../contracts/gateway/messages.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { readTraceParent } from "../../../kit/trace-parent.ts";
import { actingHeaders } from "../auth/acting-for.ts";
import { type SendKey, sendCredential, senderCredential } from "../auth/credentials.ts";
import { type DeskDoor, deskCredential, deskTenant } from "../auth/desk-credential.ts";
import type { GatewayStorage } from "../tables.ts";
import { type SendPorts, sendMessage } from "./send-message.ts";

const tags = ["messages"];

const sendHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({ description: "The same key returns the message that was queued first." }),
  ),
  traceparent: Type.Optional(
    Type.String({ description: "Trace that the message belongs to. A malformed one is ignored." }),
  ),
});

const adminSendHeaders = Type.Composite([sendHeaders, Type.Object(actingHeaders)]);

const factsIn = (headers: Static<typeof sendHeaders>) => ({
  idempotencyKey: headers["idempotency-key"],
  trace: readTraceParent(headers.traceparent),
});

/** Routes through which a tenant's programs send. */
export const messageRoutes = (ports: SendPorts, keys: readonly SendKey[]) =>
  new Elysia({ prefix: "/api/v1/messages" })
    .use(jsonRoutes())
    .use(sendCredential(keys))
    .post(
      "/send",
      async ({ tenantId, body, headers, set }) => {
        const order = { tenantId, source: "api" as const, ...factsIn(headers) };
        const queued = await sendMessage(ports, order, body);
        set.status = 202;
        return queued;
      },
      {
        ...jsonBody(SendInput),
        headers: sendHeaders,
        response: { 202: QueuedMessage },
        detail: { tags, operationId: "sendMessage", summary: "Queues a message" },
      },
    )
    .get("/:id", async ({ tenantId, params }) => getOutcome(ports.storage, tenantId, params.id), {
      response: MessageOutcome,
      detail: { tags, operationId: "getMessage", summary: "What became of a message" },
    });

/** The route through which trusted services send for any tenant. */
export const onBehalfRoutes = (ports: SendPorts, senderKey: string) =>
  new Elysia({ prefix: "/api/v1/messages/send-on-behalf" })
    .use(jsonRoutes())
    .use(senderCredential(senderKey))
    .post(
      "",
      async ({ body: { tenant_id: tenantId, invocation_id: invocationId, ...input }, headers, set }) => {
        const source = "platform_proactive" as const;
        const order = { tenantId, source, invocationId, ...factsIn(headers) };
        const queued = await sendMessage(ports, order, input);
        set.status = 202;
        return queued;
      },
      {
        ...jsonBody(SendOnBehalfInput),
        headers: sendHeaders,
        response: { 202: QueuedMessage },
        detail: { tags, operationId: "sendOnBehalf", summary: "Queues a message of a tenant" },
      },
    );

/** Stands for the route above where it doesn't exist: otherwise its path would be read as a message's id, and answer 405. */
export const noOnBehalfRoutes = () =>
  new Elysia({ prefix: "/api/v1/messages/send-on-behalf" }).use(jsonRoutes()).post(
    "",
    async () => {
      throw new AppError("not_found", "not_found", "There is nothing at this path.");
    },
    { detail: { hide: true } },
  );

/** The route through which the desk sends. */
export const adminSendRoutes = (ports: SendPorts, door: DeskDoor) =>
  new Elysia({ prefix: "/admin/send" })
    .use(jsonRoutes())
    .use(deskCredential(door))
    .post(
      "",
      async ({ body: { tenant_id: asked, ...input }, query, headers, desk, set }) => {
        const tenantId = deskTenant(desk, asked);
        const order = { tenantId, source: "api" as const, author: desk.person, ...factsIn(headers) };
        const queued = await sendMessage(ports, order, { ...input, ...query });
        set.status = 202;
        return queued;
      },
      {
        ...jsonBody(AdminSendInput),
        query: SendAccount,
        headers: adminSendHeaders,
        response: { 202: QueuedMessage },
        detail: { tags, operationId: "adminSend", summary: "Queues a message of a tenant, for the desk" },
      },
    );

async function getOutcome(
  { read, tables: { outbox } }: GatewayStorage,
  tenantId: string,
  id: string,
): Promise<MessageOutcome> {
  const [row] = await read
    .select({ status: outbox.status, attempts: outbox.attempts, last_error: outbox.lastError })
    .from(outbox)
    .where(and(eq(outbox.tenantId, tenantId), eq(outbox.id, id)));
  if (row !== undefined) return { message_id: id, ...row };
  throw new AppError("not_found", "not_found", `There is no message ${id}.`);
}
