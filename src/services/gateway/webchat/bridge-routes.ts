import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  BridgeAccepted,
  BridgeMessage,
  Thread,
  VisitorId,
  WebchatAccount,
  WebchatSite,
  WebchatSiteInput,
} from "../../../contracts/gateway/webchat.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { readInstant } from "../../../http/read-instant.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { adminCredential } from "../auth/credentials.ts";
import { type ChatReceivePorts, receiveMessage } from "./receive-message.ts";
import { getSite, presentSite, saveSite } from "./site-store.ts";
import { presentMessage, readThread } from "./thread-store.ts";

const tags = ["web chat"];

/** Routes through which operators' programs play visitors, read threads, and say which sites may show a chat. */
export const bridgeRoutes = (ports: ChatReceivePorts, adminToken: string) =>
  new Elysia({ prefix: "/admin/webchat" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .post(
      "/inbound",
      async ({ body: { cuenta, visitante, texto }, set }) => {
        const site = await getSite(ports.storage.read, ports.storage.tables, cuenta);
        const writer = { visitor: requireVisitor(visitante), proof: "admin-token" } as const;
        const { id } = await receiveMessage(ports, site, writer, { texto });
        set.status = 202;
        return { encolado: true as const, channel_message_id: id };
      },
      {
        ...jsonBody(BridgeMessage),
        response: { 202: BridgeAccepted },
        detail: { tags, operationId: "webchatInbound", summary: "Hands in a message of a visitor" },
      },
    )
    .get(
      "/hilo",
      async ({ query: { cuenta, visitante, desde } }) => {
        const since = readInstant("desde", desde);
        const { tenantId, accountId } = await getSite(ports.storage.read, ports.storage.tables, cuenta);
        const key = { tenantId, accountId, visitor: requireVisitor(visitante) };
        return { mensajes: (await readThread(ports.storage, key, since)).map(presentMessage) };
      },
      {
        query: Type.Object({
          cuenta: WebchatAccount,
          visitante: VisitorId,
          desde: Type.Optional(
            Type.String({ description: "Only messages after this `at`. Without it, the newest 200." }),
          ),
        }),
        response: Thread,
        detail: {
          tags,
          operationId: "webchatThread",
          summary: "Messages of a visitor's thread, oldest first",
        },
      },
    )
    .get(
      "/sites/:cuenta",
      async ({ params }) =>
        presentSite(await getSite(ports.storage.read, ports.storage.tables, params.cuenta)),
      {
        response: WebchatSite,
        detail: {
          tags,
          operationId: "getWebchatSite",
          summary: "Origins whose pages may show an account's chat",
        },
      },
    )
    .put("/sites/:cuenta", async ({ params, body }) => saveSite(ports, params.cuenta, body.origins), {
      ...jsonBody(WebchatSiteInput),
      response: WebchatSite,
      detail: {
        tags,
        operationId: "saveWebchatSite",
        summary: "Replaces the origins whose pages may show an account's chat",
      },
    });

/** No text column can hold half a surrogate pair. */
function requireVisitor(visitor: string): string {
  if (visitor.isWellFormed()) return visitor;
  throw new AppError("invalid", "invalid_request", "visitante must be well-formed Unicode.");
}
