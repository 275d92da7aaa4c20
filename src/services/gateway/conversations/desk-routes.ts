import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Conversation } from "../../../contracts/gateway/admin.ts";
import {
  AssignInput,
  DeskEntry,
  DeskEntryList,
  LabelsInput,
  NoteInput,
  SnoozeInput,
} from "../../../contracts/gateway/desk.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { adminCredential } from "../auth/credentials.ts";
import { actingHeaders, actorIn } from "../desk/acting-for.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { StorageRoom } from "../room/storage-room.ts";
import type { StoreDeps } from "../tables.ts";
import { addNote, assign, label, readEntries, reopen, resolve, snooze } from "./desk-work.ts";

const tags = ["conversations"];
const headers = Type.Object(actingHeaders);

/** Routes through which people share the work on conversations. */
export const deskRoutes = (
  ports: StoreDeps & { feed: EventFeed; storageRoom: StorageRoom },
  adminToken: string,
) => {
  const tell = ({ id, tenant_id, account_id, channel }: Conversation) =>
    ports.feed.publish({
      about: "conversation",
      change: "desk",
      tenant_id,
      account_id,
      channel,
      conversation_id: id,
    });
  const told = async (decided: Promise<Conversation>) => {
    const conversation = await decided;
    tell(conversation);
    return conversation;
  };
  return new Elysia({ prefix: "/admin/conversations" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .get("/:id/entries", async ({ params }) => ({ entries: await readEntries(ports.storage, params.id) }), {
      response: DeskEntryList,
      detail: {
        tags,
        operationId: "listDeskEntries",
        summary: "Private notes and decisions of a conversation, the newest 500, the oldest first",
      },
    })
    .post(
      "/:id/note",
      async ({ params, body, headers }) => {
        const { entry, conversation } = await addNote(ports, params.id, actorIn(headers), body.text);
        tell(conversation);
        return entry;
      },
      {
        ...jsonBody(NoteInput),
        headers,
        response: DeskEntry,
        detail: { tags, operationId: "addNote", summary: "Adds a note that only people at the desk see" },
      },
    )
    .post(
      "/:id/assign",
      async ({ params, body, headers }) => told(assign(ports, params.id, actorIn(headers), body.assignee)),
      {
        ...jsonBody(AssignInput),
        headers,
        response: Conversation,
        detail: { tags, operationId: "assign", summary: "Gives a conversation to a person, or to nobody" },
      },
    )
    .post(
      "/:id/label",
      async ({ params, body, headers }) => told(label(ports, params.id, actorIn(headers), body.labels)),
      {
        ...jsonBody(LabelsInput),
        headers,
        response: Conversation,
        detail: { tags, operationId: "setLabels", summary: "Sets the labels of a conversation" },
      },
    )
    .post(
      "/:id/snooze",
      async ({ params, body, headers }) => told(snooze(ports, params.id, actorIn(headers), body.until)),
      {
        ...jsonBody(SnoozeInput),
        headers,
        response: Conversation,
        detail: {
          tags,
          operationId: "snooze",
          summary: "Puts a conversation aside until a time, or its user's next message",
        },
      },
    )
    .post("/:id/resolve", async ({ params, headers }) => told(resolve(ports, params.id, actorIn(headers))), {
      headers,
      response: Conversation,
      detail: {
        tags,
        operationId: "resolve",
        summary: "Ends the work on a conversation until its user writes again",
      },
    })
    .post("/:id/reopen", async ({ params, headers }) => told(reopen(ports, params.id, actorIn(headers))), {
      headers,
      response: Conversation,
      detail: { tags, operationId: "reopen", summary: "Opens a resolved or snoozed conversation again" },
    });
};
