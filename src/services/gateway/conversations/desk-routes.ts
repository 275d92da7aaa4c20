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
import { actingHeaders } from "../auth/acting-for.ts";
import { type DeskDoor, deskCredential } from "../auth/desk-credential.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { StorageRoom } from "../room/storage-room.ts";
import {
  addNote,
  assign,
  label,
  type ResolvePorts,
  readEntries,
  reopen,
  resolve,
  snooze,
} from "./desk-work.ts";

const tags = ["conversations"];
const headers = Type.Object(actingHeaders);

/** Routes through which people share the work on conversations. */
export const deskRoutes = (
  ports: ResolvePorts & { feed: EventFeed; storageRoom: StorageRoom },
  door: DeskDoor,
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
    .use(deskCredential(door))
    .get(
      "/:id/entries",
      async ({ params, desk }) => ({ entries: await readEntries(ports.storage, desk, params.id) }),
      {
        response: DeskEntryList,
        detail: {
          tags,
          operationId: "listDeskEntries",
          summary: "Private notes and decisions of a conversation, the newest 500, the oldest first",
        },
      },
    )
    .post(
      "/:id/note",
      async ({ params, body, desk }) => {
        const { entry, conversation } = await addNote(ports, params.id, desk, body.text);
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
      async ({ params, body, desk }) => told(assign(ports, params.id, desk, body.assignee)),
      {
        ...jsonBody(AssignInput),
        headers,
        response: Conversation,
        detail: { tags, operationId: "assign", summary: "Gives a conversation to a person, or to nobody" },
      },
    )
    .post("/:id/label", async ({ params, body, desk }) => told(label(ports, params.id, desk, body.labels)), {
      ...jsonBody(LabelsInput),
      headers,
      response: Conversation,
      detail: { tags, operationId: "setLabels", summary: "Sets the labels of a conversation" },
    })
    .post("/:id/snooze", async ({ params, body, desk }) => told(snooze(ports, params.id, desk, body.until)), {
      ...jsonBody(SnoozeInput),
      headers,
      response: Conversation,
      detail: {
        tags,
        operationId: "snooze",
        summary: "Puts a conversation aside until a time, or its user's next message",
      },
    })
    .post("/:id/resolve", async ({ params, desk }) => told(resolve(ports, params.id, desk)), {
      headers,
      response: Conversation,
      detail: {
        tags,
        operationId: "resolve",
        summary: "Ends the work on a conversation until its user writes again",
      },
    })
    .post("/:id/reopen", async ({ params, desk }) => told(reopen(ports, params.id, desk)), {
      headers,
      response: Conversation,
      detail: { tags, operationId: "reopen", summary: "Opens a resolved or snoozed conversation again" },
    });
};
