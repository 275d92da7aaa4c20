import { and, eq } from "drizzle-orm";
import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import type { Conversation } from "../../../contracts/gateway/admin.ts";
import { type DeskEntry, type DeskEntryKind, mentionsIn } from "../../../contracts/gateway/desk.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { DeskActor } from "../auth/desk-credential.ts";
import { giveDeskNotice } from "../desk/desk-notices.ts";
import { type DeskKey, listEntries, noteEntry, saveDesk } from "../desk/store.ts";
import type { OutboxRoom } from "../outbox/outbox-room.ts";
import { noteMeasure } from "../reports/measure.ts";
import type { StorageRoom } from "../room/storage-room.ts";
import type { GatewayStorage, GatewayStoreDeps, GatewayTables } from "../tables.ts";
import { askScore } from "./csat.ts";
import {
  type ConversationRow,
  getDeskConversation,
  lockConversation,
  noConversation,
  showConversation,
} from "./store.ts";

interface Decision {
  kind: DeskEntryKind;
  text: string;
  change: Parameters<typeof saveDesk>[3];
  /** What else the decision does, in its transaction. */
  also?: (tx: Query, row: ConversationRow, entry: DeskEntry, now: Date) => Promise<void>;
}

/** Makes a decision about a conversation, and notes it in its history. Throws 404. */
function decide(
  { storage, clock, newId }: GatewayStoreDeps,
  id: string,
  by: DeskActor,
  { kind, text, change, also }: Decision,
): Promise<Conversation> {
  const { tables } = storage;
  return storage.transact(
    async (tx) => {
      const { tenantId } = await getDeskConversation(tx, tables, by, id);
      // Orders decisions and messages of the user.
      const row = await lockConversation(tx, tables, tenantId, id);
      if (row === undefined) throw noConversation(id);
      const key = keyOf(row);
      const at = clock.now();
      await saveDesk(tx, tables, key, change);
      const entry = await noteEntry(tx, tables, newId, key, { kind, by: by.person, text, at });
      await also?.(tx, row, entry, at);
      return showConversation(tx, tables, row, at);
    },
    { isolation: "read committed" },
  );
}

export const assign = (ports: GatewayStoreDeps, id: string, by: DeskActor, assignee: string | null) => {
  const name = assignee?.trim() ?? null;
  if (name === "") throw invalid("assignee must not be blank; null is nobody.");
  return decide(ports, id, by, { kind: "assigned", text: name ?? "", change: { assignee: name } });
};

export function label(ports: GatewayStoreDeps, id: string, by: DeskActor, given: readonly string[]) {
  const labels = [...new Set(given.map((one) => one.trim()))];
  if (labels.includes("")) throw invalid("labels must not be blank.");
  return decide(ports, id, by, { kind: "labelled", text: labels.join(", "), change: { labels } });
}

export function snooze(ports: GatewayStoreDeps, id: string, by: DeskActor, until: string) {
  const snoozedUntil = new Date(until);
  const now = ports.clock.now();
  if (Number.isNaN(snoozedUntil.getTime()) || snoozedUntil <= now || snoozedUntil.getUTCFullYear() > 9998)
    throw invalid("until must be a time that is still to come.");
  const change = { state: "snoozed" as const, snoozedUntil };
  return decide(ports, id, by, { kind: "snoozed", text: snoozedUntil.toISOString(), change });
}

export interface ResolvePorts extends GatewayStoreDeps {
  room: OutboxRoom;
  bell: OutboxBell;
}

/** Ends the work on a conversation, and asks its user how good it was if the binding says so. */
export async function resolve(ports: ResolvePorts, id: string, by: DeskActor): Promise<Conversation> {
  const { tables } = ports.storage;
  let isAsked = false;
  const change = { state: "resolved" as const, snoozedUntil: null, needsReason: null, needsSince: null };
  const resolved = await decide(ports, id, by, {
    kind: "resolved",
    text: "",
    change,
    async also(tx, row, { id: entryId }, now) {
      isAsked = false;
      // It was resolved before, or the user never wrote.
      if (row.begunAt === null) return;
      const { tenantId, channel, agentName: agent, begunAt } = row;
      await endBegun(tx, tables, row);
      const measured = { id: entryId, tenantId, channel, measure: "resolution" as const };
      const value = Math.max(0, now.getTime() - begunAt.getTime());
      await noteMeasure(tx, tables, { ...measured, value, person: by.person, agent, at: now });
      isAsked = (await askScore(tx, tables, ports, row, by.person, now)) !== undefined;
    },
  });
  if (isAsked) ports.bell.ring();
  return resolved;
}

const endBegun = (tx: Query, { conversations }: GatewayTables, { tenantId, id }: ConversationRow) =>
  tx
    .update(conversations)
    .set({ begunAt: null, answeredAt: null })
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, id)))
    .returning({ id: conversations.id });

export const reopen = (ports: GatewayStoreDeps, id: string, by: DeskActor) =>
  decide(ports, id, by, { kind: "reopened", text: "", change: { state: "open", snoozedUntil: null } });

/** Adds a private note. Throws 404, and 409 for a tenant that may store no more. */
export function addNote(
  { storage, clock, newId, storageRoom }: GatewayStoreDeps & { storageRoom: StorageRoom },
  id: string,
  by: DeskActor,
  text: string,
): Promise<{ entry: DeskEntry; conversation: Conversation }> {
  if (text.trim() === "") throw invalid("text must not be blank.");
  const { tables } = storage;
  return storage.transact(
    async (tx) => {
      const { tenantId } = await getDeskConversation(tx, tables, by, id);
      // A conversation that becomes part of another one takes its notes along.
      const row = await lockConversation(tx, tables, tenantId, id);
      if (row === undefined) throw noConversation(id);
      const key = keyOf(row);
      await storageRoom.requireRoom(tx, row.tenantId);
      const at = clock.now();
      const entry = await noteEntry(tx, tables, newId, key, {
        kind: "note",
        by: by.person,
        text: text.trim(),
        at,
      });
      const people = mentionsIn(text);
      if (people.length > 0) {
        const occasion = { event: "desk.mention" as const, occasion: entry.id, people, by: by.person };
        await giveDeskNotice(tx, tables, key, occasion, at);
      }
      return { entry, conversation: await showConversation(tx, tables, row, at) };
    },
    { isolation: "read committed" },
  );
}

/** Returns the newest notes and decisions of a conversation. Throws 404. */
export async function readEntries(
  { read, tables }: GatewayStorage,
  desk: DeskActor,
  id: string,
): Promise<DeskEntry[]> {
  return listEntries(read, tables, keyOf(await getDeskConversation(read, tables, desk, id)));
}

const keyOf = ({ tenantId, id }: { tenantId: string; id: string }): DeskKey => ({
  tenantId,
  conversationId: id,
});

const invalid = (message: string) => new AppError("invalid", "invalid_request", message);
