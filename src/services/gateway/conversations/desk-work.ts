import type { Conversation } from "../../../contracts/gateway/admin.ts";
import type { DeskEntry, DeskEntryKind } from "../../../contracts/gateway/desk.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type DeskKey, listEntries, noteEntry, saveDesk } from "../desk/store.ts";
import type { StorageRoom } from "../room/storage-room.ts";
import type { GatewayStorage, StoreDeps } from "../tables.ts";
import { getAnyConversation, lockConversation, noConversation, showConversation } from "./store.ts";

interface Decision {
  kind: DeskEntryKind;
  text: string;
  change: Parameters<typeof saveDesk>[3];
}

/** Makes a decision about a conversation, and notes it in its history. Throws 404. */
function decide(
  { storage, clock, newId }: StoreDeps,
  id: string,
  by: string | null,
  { kind, text, change }: Decision,
): Promise<Conversation> {
  const { tables } = storage;
  return storage.transact(
    async (tx) => {
      const { tenantId } = await getAnyConversation(tx, tables, id);
      // Orders decisions and messages of the user.
      const row = await lockConversation(tx, tables, tenantId, id);
      if (row === undefined) throw noConversation(id);
      const key = keyOf(row);
      const at = clock.now();
      await saveDesk(tx, tables, key, change);
      await noteEntry(tx, tables, newId, key, { kind, by, text, at });
      return showConversation(tx, tables, row, at);
    },
    { isolation: "read committed" },
  );
}

export const assign = (ports: StoreDeps, id: string, by: string | null, assignee: string | null) => {
  const name = assignee?.trim() ?? null;
  if (name === "") throw invalid("assignee must not be blank; null is nobody.");
  return decide(ports, id, by, { kind: "assigned", text: name ?? "", change: { assignee: name } });
};

export function label(ports: StoreDeps, id: string, by: string | null, given: readonly string[]) {
  const labels = [...new Set(given.map((one) => one.trim()))];
  if (labels.includes("")) throw invalid("labels must not be blank.");
  return decide(ports, id, by, { kind: "labelled", text: labels.join(", "), change: { labels } });
}

export function snooze(ports: StoreDeps, id: string, by: string | null, until: string) {
  const snoozedUntil = new Date(until);
  const now = ports.clock.now();
  if (Number.isNaN(snoozedUntil.getTime()) || snoozedUntil <= now || snoozedUntil.getUTCFullYear() > 9998)
    throw invalid("until must be a time that is still to come.");
  const change = { state: "snoozed" as const, snoozedUntil };
  return decide(ports, id, by, { kind: "snoozed", text: snoozedUntil.toISOString(), change });
}

export const resolve = (ports: StoreDeps, id: string, by: string | null) =>
  decide(ports, id, by, {
    kind: "resolved",
    text: "",
    change: { state: "resolved", snoozedUntil: null, needsReason: null, needsSince: null },
  });

export const reopen = (ports: StoreDeps, id: string, by: string | null) =>
  decide(ports, id, by, { kind: "reopened", text: "", change: { state: "open", snoozedUntil: null } });

/** Adds a private note. Throws 404, and 409 for a tenant that may store no more. */
export function addNote(
  { storage, clock, newId, storageRoom }: StoreDeps & { storageRoom: StorageRoom },
  id: string,
  by: string | null,
  text: string,
): Promise<{ entry: DeskEntry; conversation: Conversation }> {
  if (text.trim() === "") throw invalid("text must not be blank.");
  const { tables } = storage;
  return storage.transact(async (tx) => {
    const row = await getAnyConversation(tx, tables, id);
    const key = keyOf(row);
    await storageRoom.requireRoom(tx, row.tenantId);
    const at = clock.now();
    const entry = await noteEntry(tx, tables, newId, key, { kind: "note", by, text: text.trim(), at });
    return { entry, conversation: await showConversation(tx, tables, row, at) };
  });
}

/** Returns the newest notes and decisions of a conversation. Throws 404. */
export async function readEntries({ read, tables }: GatewayStorage, id: string): Promise<DeskEntry[]> {
  return listEntries(read, tables, keyOf(await getAnyConversation(read, tables, id)));
}

const keyOf = ({ tenantId, id }: { tenantId: string; id: string }): DeskKey => ({
  tenantId,
  conversationId: id,
});

const invalid = (message: string) => new AppError("invalid", "invalid_request", message);
