import { Type } from "@sinclair/typebox";
import { and, asc, desc, eq, gt } from "drizzle-orm";
import { Elysia } from "elysia";
import { InboundQueued, WebchatInput, WebchatThread } from "../../../contracts/gateway/emulator.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { readInstant } from "../../../http/read-instant.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type AccountRow, findExternal } from "../accounts/store.ts";
import { adminCredential } from "../auth/credentials.ts";
import { findConversationWith } from "../conversations/store.ts";
import { writeTo } from "../emulator/emulate-inbound.ts";
import type { ReceivePorts } from "../inbound/receive-delivery.ts";
import type { GatewayStorage } from "../tables.ts";

const tags = ["webchat"];
const messagesMax = 200;
const short = Type.String({ minLength: 1, maxLength: 255 });

/** Routes through which an operator's web site brings visitors' messages and reads the answers. */
export const webchatRoutes = (ports: ReceivePorts, adminToken: string) =>
  new Elysia({ prefix: "/admin/webchat" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .post(
      "/inbound",
      async ({ body: { cuenta, visitante, texto }, set }) => {
        const account = await getWebchat(ports.storage, cuenta);
        const id = await writeTo(ports, account, { from: visitante, text: texto });
        set.status = 202;
        return { encolado: true as const, channel_message_id: id };
      },
      {
        ...jsonBody(WebchatInput),
        response: { 202: InboundQueued },
        detail: { tags, operationId: "webchatInbound", summary: "Brings a message of a visitor" },
      },
    )
    .get(
      "/hilo",
      async ({ query: { cuenta, visitante, desde } }) => {
        const account = await getWebchat(ports.storage, cuenta);
        return readThread(ports.storage, account, visitante, readInstant("desde", desde));
      },
      {
        query: Type.Object({
          cuenta: short,
          visitante: short,
          desde: Type.Optional(Type.String({ description: "Only messages after this time, ISO 8601." })),
        }),
        response: WebchatThread,
        detail: {
          tags,
          operationId: "webchatThread",
          summary: "Messages between an account and a visitor, oldest first, at most 200",
          description: "Without `desde`, the newest 200.",
        },
      },
    );

async function getWebchat({ read, tables }: GatewayStorage, externalId: string): Promise<AccountRow> {
  const account = await findExternal(read, tables, "webchat", externalId);
  if (account !== undefined) return account;
  throw new AppError("not_found", "not_found", `There is no account ${externalId} on webchat.`);
}

async function readThread(
  { read, tables }: GatewayStorage,
  { id: accountId, tenantId }: AccountRow,
  externalUser: string,
  since: Date | undefined,
): Promise<WebchatThread> {
  const { conversationMessages } = tables;
  const conversation = await findConversationWith(read, tables, { tenantId, accountId, externalUser });
  if (conversation === undefined) return { mensajes: [] };
  const { at, id } = conversationMessages;
  const isWanted = and(
    eq(conversationMessages.tenantId, tenantId),
    eq(conversationMessages.conversationId, conversation.id),
    since === undefined ? undefined : gt(at, since),
  );
  const order = since === undefined ? [desc(at), desc(id)] : [asc(at), asc(id)];
  const rows = await read
    .select()
    .from(conversationMessages)
    .where(isWanted)
    .orderBy(...order)
    .limit(messagesMax);
  if (since === undefined) rows.reverse();
  return {
    mensajes: rows.map(({ id, direction, text, media, at }) => ({
      id,
      lado: direction === "inbound" ? ("visitante" as const) : ("agente" as const),
      texto: text,
      media,
      at: at.toISOString(),
    })),
  };
}
