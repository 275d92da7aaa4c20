import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  Conversation,
  ConversationMessagePage,
  ConversationPage,
  ListedConversation,
} from "../../../contracts/gateway/admin.ts";
import { ChannelName, TenantId } from "../../../contracts/gateway/channels.ts";
import { ConversationState } from "../../../contracts/gateway/desk.ts";
import { pageLimit, pageOffset } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { actingHeaders } from "../auth/acting-for.ts";
import { type DeskDoor, deskCredential, deskTenant } from "../auth/desk-credential.ts";
import { getConversation, listConversations } from "./list-conversations.ts";
import { type ModePorts, setMode } from "./set-mode.ts";
import { listMessages, markSeen } from "./store.ts";

const tags = ["conversations"];

const headers = Type.Object(actingHeaders);
const page = { limit: pageLimit({ default: 50, max: 200 }), offset: pageOffset() };

const personText = (description: string) =>
  Type.String({ maxLength: 120, pattern: "^[^\\u0000]*$", description });

/** Routes through which operators read conversations and take them over. */
export const conversationRoutes = (ports: ModePorts, door: DeskDoor) => {
  const { storage, feed, clock } = ports;
  const told = async (change: "mode" | "seen", changed: Promise<Conversation>) => {
    const conversation = await changed;
    const { id, tenant_id, account_id, channel } = conversation;
    feed.publish({ about: "conversation", change, tenant_id, account_id, channel, conversation_id: id });
    return conversation;
  };
  return new Elysia({ prefix: "/admin/conversations" })
    .use(jsonRoutes())
    .use(deskCredential(door))
    .get(
      "",
      async ({ query: { unread, undelivered, needs_person: needs, ...query }, desk }) =>
        listConversations(storage, {
          ...query,
          tenant: deskTenant(desk, query.tenant),
          ...(unread !== undefined && { unread: unread === "true" }),
          ...(undelivered !== undefined && { undelivered: undelivered === "true" }),
          ...(needs !== undefined && { needsPerson: needs === "true" }),
          person: desk.person,
          now: clock.now(),
        }),
      {
        query: Type.Object({
          tenant: Type.Optional(TenantId),
          channel: Type.Optional(ChannelName),
          mode: Type.Optional(Type.Union([Type.Literal("bot"), Type.Literal("human")])),
          unread: Type.Optional(
            Type.Union([Type.Literal("true"), Type.Literal("false")], {
              description:
                "`true`: only conversations with messages that the person of `X-Acting-For`, or else no operator, has read.",
            }),
          ),
          undelivered: Type.Optional(
            Type.Union([Type.Literal("true"), Type.Literal("false")], {
              description:
                "`true`: only conversations with a message that the provider accepted and then failed to deliver.",
            }),
          ),
          q: Type.Optional(
            Type.String({
              maxLength: 255,
              pattern: "^[^\\u0000]*$",
              description:
                "Part of a user's name or address, a number in any spelling, or beginnings of words of the messages.",
              fault: "must be a text of at most 255 characters without NUL",
            }),
          ),
          state: Type.Optional(ConversationState),
          needs_person: Type.Optional(
            Type.Union([Type.Literal("true"), Type.Literal("false")], {
              description: "`true`: only conversations that ask for a person.",
            }),
          ),
          assignee: Type.Optional(personText("Person who answers; empty: nobody.")),
          label: Type.Optional(personText("A label that the conversation has.")),
          ...page,
        }),
        headers,
        response: ConversationPage,
        detail: { tags, operationId: "listConversations", summary: "Conversations, most recent first" },
      },
    )
    .get("/:id", async ({ params, desk }) => getConversation(storage, desk, params.id, clock.now()), {
      headers,
      response: ListedConversation,
      detail: { tags, operationId: "getConversation", summary: "One conversation" },
    })
    .post(
      "/:id/seen",
      async ({ params, desk }) => told("seen", markSeen(storage, desk, params.id, clock.now())),
      {
        headers,
        response: Conversation,
        detail: {
          tags,
          operationId: "markSeen",
          summary: "Records that an operator read the conversation up to its newest message",
        },
      },
    )
    .post(
      "/:id/unseen",
      async ({ params, desk }) => told("seen", markSeen(storage, desk, params.id, clock.now(), true)),
      {
        headers,
        response: Conversation,
        detail: {
          tags,
          operationId: "markUnseen",
          summary: "Makes the user's newest message unread again",
        },
      },
    )
    .get("/:id/messages", async ({ params, query, desk }) => listMessages(storage, desk, params.id, query), {
      query: Type.Object({
        ...page,
        order: Type.Optional(Type.Union([Type.Literal("oldest"), Type.Literal("newest")])),
      }),
      response: ConversationMessagePage,
      detail: {
        tags,
        operationId: "listMessages",
        summary: "Messages of a conversation, by default the oldest first",
      },
    })
    .post(
      "/:id/takeover",
      async ({ params, desk }) => told("mode", setMode(ports, params.id, "human", desk)),
      {
        headers,
        response: Conversation,
        detail: {
          tags,
          operationId: "takeOver",
          summary: "Hands a conversation to people: its agent is silent",
        },
      },
    )
    .post("/:id/release", async ({ params, desk }) => told("mode", setMode(ports, params.id, "bot", desk)), {
      headers,
      response: Conversation,
      detail: { tags, operationId: "release", summary: "Gives a conversation back to its agent" },
    });
};
