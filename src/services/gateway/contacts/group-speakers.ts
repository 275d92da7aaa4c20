import { and, asc, eq, gt, inArray } from "drizzle-orm";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { boundRow, statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import { noteWords } from "../desk/message-words.ts";
import { dropFiles } from "../media/store.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";

type Speaker = GatewayTables["groupSpeakers"]["$inferSelect"];

/** Records who wrote a message of a group. */
export async function noteSpeaker(tx: Query, tables: GatewayTables, speaker: Speaker): Promise<void> {
  await speakerInsert(tx, tables).execute({ ...speaker });
}

const speakerInsert = statement((tx: Query, { groupSpeakers }: GatewayTables) =>
  tx.insert(groupSpeakers).values(boundRow(groupSpeakers)).onConflictDoNothing().prepare("note_speaker"),
);

/** Somebody whose messages in groups are looked for. */
export interface SoughtSpeaker {
  tenantId: string;
  accountIds: readonly string[];
  addresses: readonly string[];
}

const isOf = (
  { groupSpeakers: speakers }: GatewayTables,
  { tenantId, accountIds, addresses }: SoughtSpeaker,
  conversationId?: string,
) =>
  and(
    eq(speakers.tenantId, tenantId),
    inArray(speakers.address, [...addresses]),
    inArray(speakers.accountId, [...accountIds]),
    conversationId === undefined ? undefined : eq(speakers.conversationId, conversationId),
  );

/** The conversations of groups in which somebody wrote. */
export async function groupsOf(
  query: ReadQuery,
  tables: GatewayTables,
  sought: SoughtSpeaker,
): Promise<string[]> {
  if (sought.addresses.length === 0 || sought.accountIds.length === 0) return [];
  const rows = await query
    .selectDistinct({ id: tables.groupSpeakers.conversationId })
    .from(tables.groupSpeakers)
    .where(isOf(tables, sought));
  return rows.map(({ id }) => id);
}

const rowsAtOnce = 100;

/** Deletes what somebody wrote in groups. Who spoke is deleted last, so that a repeated call finds what is left. */
export async function deleteSpoken(storage: GatewayStorage, sought: SoughtSpeaker): Promise<void> {
  const { tables } = storage;
  const { groupSpeakers } = tables;
  for (const conversationId of await groupsOf(storage.read, tables, sought)) {
    for (let after = ""; ; ) {
      const rows = await storage.read
        .select({ id: groupSpeakers.messageId })
        .from(groupSpeakers)
        .where(and(isOf(tables, sought, conversationId), gt(groupSpeakers.messageId, after)))
        .orderBy(asc(groupSpeakers.messageId))
        .limit(rowsAtOnce);
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) await deleteMessages(storage, sought.tenantId, ids);
      if (ids.length < rowsAtOnce) break;
      after = ids.at(-1) ?? "";
      await othersTurn();
    }
    await indexAgain(storage, sought.tenantId, conversationId);
    await storage.transact((tx) => tx.delete(groupSpeakers).where(isOf(tables, sought, conversationId)));
  }
}

async function deleteMessages(storage: GatewayStorage, tenantId: string, ids: string[]): Promise<void> {
  const { conversationMessages: messages, inbound, messageAuthors, reactions, trail } = storage.tables;
  await storage.transact(
    async (tx) => {
      const rows = await tx
        .select({ media: messages.media })
        .from(messages)
        .where(and(eq(messages.tenantId, tenantId), inArray(messages.id, ids)));
      const files = rows.flatMap(({ media }) => media.flatMap(({ id }) => (id === undefined ? [] : [id])));
      await dropFiles(tx, storage.tables, tenantId, files);
      for (const table of [messageAuthors, reactions, trail])
        await tx.delete(table).where(and(eq(table.tenantId, tenantId), inArray(table.messageId, ids)));
      await tx.delete(inbound).where(and(eq(inbound.tenantId, tenantId), inArray(inbound.id, ids)));
      await tx.delete(messages).where(and(eq(messages.tenantId, tenantId), inArray(messages.id, ids)));
    },
    { isolation: "read committed" },
  );
}

/** The words of a conversation don't say whose they are, so they are read again from what is left. */
async function indexAgain(storage: GatewayStorage, tenantId: string, conversationId: string): Promise<void> {
  const { conversationMessages: messages, messageWords: words } = storage.tables;
  await storage.transact((tx) =>
    tx.delete(words).where(and(eq(words.tenantId, tenantId), eq(words.conversationId, conversationId))),
  );
  for (let after = ""; ; ) {
    const rows = await storage.read
      .select()
      .from(messages)
      .where(
        and(
          eq(messages.tenantId, tenantId),
          eq(messages.conversationId, conversationId),
          gt(messages.id, after),
        ),
      )
      .orderBy(asc(messages.id))
      .limit(rowsAtOnce);
    await storage.transact(async (tx) => {
      for (const row of rows) await noteWords(tx, storage.tables, row);
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = last.id;
    await othersTurn();
  }
}
