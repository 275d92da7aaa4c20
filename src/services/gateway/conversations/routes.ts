import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Conversation, ConversationMessagePage, ConversationPage } from "../../../contracts/gateway/admin.ts";
import { ChannelName, TenantId } from "../../../contracts/gateway/channels.ts";
import { pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { adminCredential } from "../auth/credentials.ts";
import type { GatewayStorage } from "../tables.ts";
import { listConversations, listMessages, setMode } from "./store.ts";

const tags = ["conversations"];

const page = { limit: pageLimit({ default: 50, max: 200 }), offset: pageOffset() };

/** Routes through which operators read conversations and take them over. */
export const conversationRoutes = ({ storage }: { storage: GatewayStorage }, adminToken: string) =>
  new Elysia({ prefix: "/admin/conversations" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .get("", async ({ query }) => listConversations(storage, query), {
      query: Type.Object({
        tenant: Type.Optional(TenantId),
        channel: Type.Optional(ChannelName),
        ...page,
      }),
      response: ConversationPage,
      detail: { tags, operationId: "listConversations", summary: "Conversations, most recent first" },
    })
    .get("/:id/messages", async ({ params, query }) => listMessages(storage, params.id, query), {
      query: Type.Object(page),
      response: ConversationMessagePage,
      detail: { tags, operationId: "listMessages", summary: "Messages of a conversation, oldest first" },
    })
    .post("/:id/takeover", async ({ params }) => setMode(storage, params.id, "human"), {
      response: Conversation,
      detail: {
        tags,
        operationId: "takeOver",
        summary: "Hands a conversation to people: its agent is silent",
      },
    })
    .post("/:id/release", async ({ params }) => setMode(storage, params.id, "bot"), {
      response: Conversation,
      detail: { tags, operationId: "release", summary: "Gives a conversation back to its agent" },
    });
