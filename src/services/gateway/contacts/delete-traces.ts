import { and, asc, eq, gt, inArray, isNull } from "drizzle-orm";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Query } from "../../../storage/storage.ts";
import { dropFiles } from "../media/store.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import type { Forgetting } from "./forget-contact.ts";
import { deleteSpoken } from "./group-speakers.ts";

/** Rows of one transaction. */
const rowsAtOnce = 200;
/** Their bytes are deleted with them. */
const filesAtOnce = 20;

/** Deletes some rows; returns true if there may be more. */
type Piece = (tx: Query, tables: GatewayTables) => Promise<boolean>;

/** Deletes everything that the gateway still keeps of a contact, piece by piece. A repeated call finds what is left. */
export async function deleteTraces(storage: GatewayStorage, forgetting: Forgetting): Promise<void> {
  const { tenantId, conversationIds, addresses } = forgetting;
  for (const id of conversationIds) for (const piece of piecesOf(tenantId, id)) await repeat(storage, piece);
  for (const piece of [sentTo(forgetting), trailOf(forgetting), threadsOf(forgetting)])
    await repeat(storage, piece);
  await deleteSpoken(storage, forgetting);
  for (const accountId of forgetting.accountIds)
    await deleteEvents(storage, { tenantId, accountId, addresses });
}

async function repeat(storage: GatewayStorage, piece: Piece): Promise<void> {
  const once = () => storage.transact((tx) => piece(tx, storage.tables), { isolation: "read committed" });
  while (await once()) await othersTurn();
}

/** What is kept under the id of a conversation. Messages come last: their ids lead to the rest. */
function piecesOf(tenantId: string, conversationId: string): Piece[] {
  return [
    async (tx, { inbound, ...tables }) => {
      const which = and(eq(inbound.tenantId, tenantId), eq(inbound.conversationId, conversationId));
      const rows = await tx.select({ id: inbound.id }).from(inbound).where(which).limit(rowsAtOnce);
      const ids = rows.map(({ id }) => id);
      await deleteOfMessages(tx, tables, tenantId, ids);
      if (ids.length > 0)
        await tx.delete(inbound).where(and(eq(inbound.tenantId, tenantId), inArray(inbound.id, ids)));
      return ids.length === rowsAtOnce;
    },
    async (tx, { outbox, ...tables }) => {
      const which = and(eq(outbox.tenantId, tenantId), eq(outbox.conversationId, conversationId));
      const rows = await tx.select({ id: outbox.id }).from(outbox).where(which).limit(rowsAtOnce);
      const ids = rows.map(({ id }) => id);
      await deleteOfMessages(tx, tables, tenantId, ids);
      if (ids.length > 0)
        await tx.delete(outbox).where(and(eq(outbox.tenantId, tenantId), inArray(outbox.id, ids)));
      return ids.length === rowsAtOnce;
    },
    async (tx, { conversationMessages: messages, ...tables }) => {
      const which = and(eq(messages.tenantId, tenantId), eq(messages.conversationId, conversationId));
      const rows = await tx.select({ id: messages.id }).from(messages).where(which).limit(rowsAtOnce);
      const ids = rows.map(({ id }) => id);
      await deleteOfMessages(tx, tables, tenantId, ids);
      if (ids.length > 0)
        await tx.delete(messages).where(and(eq(messages.tenantId, tenantId), inArray(messages.id, ids)));
      return ids.length === rowsAtOnce;
    },
    async (tx, tables) => {
      const { mediaFiles: files } = tables;
      const which = and(eq(files.tenantId, tenantId), eq(files.conversationId, conversationId));
      const rows = await tx.select({ id: files.id }).from(files).where(which).limit(filesAtOnce);
      const dropped = await dropFiles(
        tx,
        tables,
        tenantId,
        rows.map(({ id }) => id),
      );
      return dropped === filesAtOnce;
    },
    async (tx, { messageWords: words }) => {
      const which = and(eq(words.tenantId, tenantId), eq(words.conversationId, conversationId));
      const rows = await tx.select({ word: words.word }).from(words).where(which).limit(rowsAtOnce);
      const some = rows.map(({ word }) => word);
      if (some.length > 0) await tx.delete(words).where(and(which, inArray(words.word, some)));
      return some.length === rowsAtOnce;
    },
    async (tx, { desk, deskEntries: entries, deskSeen, groupSpeakers: speakers }) => {
      const which = and(eq(entries.tenantId, tenantId), eq(entries.conversationId, conversationId));
      const rows = await tx.select({ id: entries.id }).from(entries).where(which).limit(rowsAtOnce);
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0)
        await tx.delete(entries).where(and(eq(entries.tenantId, tenantId), inArray(entries.id, ids)));
      for (const table of [desk, deskSeen, speakers])
        await tx
          .delete(table)
          .where(and(eq(table.tenantId, tenantId), eq(table.conversationId, conversationId)));
      return ids.length === rowsAtOnce;
    },
  ];
}

/** Deletes what is kept under the ids of messages. */
async function deleteOfMessages(
  tx: Query,
  { messageAuthors, reactions, trail }: Pick<GatewayTables, "messageAuthors" | "reactions" | "trail">,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  for (const table of [messageAuthors, reactions, trail])
    await tx.delete(table).where(and(eq(table.tenantId, tenantId), inArray(table.messageId, [...ids])));
}

/** Messages to the contact's addresses, also those of no conversation. */
const sentTo =
  ({ tenantId, accountIds, addresses }: Forgetting): Piece =>
  async (tx, { outbox, ...tables }) => {
    const rows = await tx
      .select({ id: outbox.id })
      .from(outbox)
      .where(
        and(
          eq(outbox.tenantId, tenantId),
          inArray(outbox.recipient, addresses),
          inArray(outbox.accountId, accountIds),
          // Those of a new conversation with the same person stay.
          isNull(outbox.conversationId),
        ),
      )
      .limit(rowsAtOnce);
    const ids = rows.map(({ id }) => id);
    await deleteOfMessages(tx, tables, tenantId, ids);
    if (ids.length > 0)
      await tx.delete(outbox).where(and(eq(outbox.tenantId, tenantId), inArray(outbox.id, ids)));
    return ids.length === rowsAtOnce;
  };

const trailOf =
  ({ tenantId, accountIds, addresses, createdAt }: Forgetting): Piece =>
  async (tx, { trail }) => {
    const rows = await tx
      .select({ id: trail.id, at: trail.at })
      .from(trail)
      .where(
        and(
          eq(trail.tenantId, tenantId),
          inArray(trail.address, addresses),
          inArray(trail.accountId, accountIds),
        ),
      )
      .orderBy(asc(trail.at))
      .limit(rowsAtOnce);
    // What came after is of a new conversation.
    const ids = rows.filter(({ at }) => at <= createdAt).map(({ id }) => id);
    if (ids.length > 0)
      await tx.delete(trail).where(and(eq(trail.tenantId, tenantId), inArray(trail.id, ids)));
    return ids.length === rowsAtOnce;
  };

/** The threads of web chat, as visitors see them. */
const threadsOf =
  ({ tenantId, accountIds, addresses, createdAt }: Forgetting): Piece =>
  async (tx, { webchatThreads: threads, webchatMessages: messages }) => {
    const which = and(
      eq(threads.tenantId, tenantId),
      inArray(threads.accountId, accountIds),
      inArray(threads.visitor, addresses),
    );
    const ids = (await tx.select({ id: threads.id }).from(threads).where(which)).map(({ id }) => id);
    if (ids.length === 0) return false;
    const rows = await tx
      .select({ id: messages.id, at: messages.at })
      .from(messages)
      .where(and(eq(messages.tenantId, tenantId), inArray(messages.threadId, ids)))
      .orderBy(asc(messages.at))
      .limit(rowsAtOnce);
    const old = rows.filter(({ at }) => at <= createdAt).map(({ id }) => id);
    if (old.length > 0)
      await tx.delete(messages).where(and(eq(messages.tenantId, tenantId), inArray(messages.id, old)));
    if (old.length === rows.length && rows.length < rowsAtOnce)
      await tx.delete(threads).where(and(eq(threads.tenantId, tenantId), inArray(threads.id, ids)));
    return old.length === rowsAtOnce;
  };

/** Deletes the closed events of an account that belong to no conversation and name an address of the contact: statuses, echoes, identities. */
async function deleteEvents(
  storage: GatewayStorage,
  { tenantId, accountId, addresses }: { tenantId: string; accountId: string; addresses: readonly string[] },
): Promise<void> {
  const { inbound } = storage.tables;
  const quoted = addresses.map((address) => JSON.stringify(address));
  for (let after = ""; ; ) {
    const rows = await storage.read
      .select({ id: inbound.id, event: inbound.event, tenant: inbound.tenantId })
      .from(inbound)
      .where(
        and(
          eq(inbound.accountId, accountId),
          isNull(inbound.conversationId),
          isNull(inbound.lane),
          gt(inbound.id, after),
        ),
      )
      .orderBy(asc(inbound.id))
      .limit(rowsAtOnce);
    const named = rows.filter(({ event, tenant }) => {
      const text = JSON.stringify(event);
      return tenant === tenantId && quoted.some((address) => text.includes(address));
    });
    const ids = named.map(({ id }) => id);
    if (ids.length > 0)
      await storage.transact(
        async (tx) => {
          await deleteOfMessages(tx, storage.tables, tenantId, ids);
          await tx.delete(inbound).where(and(eq(inbound.tenantId, tenantId), inArray(inbound.id, ids)));
        },
        { isolation: "read committed" },
      );
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = last.id;
    await othersTurn();
  }
}
