import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type {
  ConversationState,
  DeskEntry,
  DeskEntryKind,
  DeskState,
} from "../../../contracts/gateway/desk.ts";
import type { NewId } from "../../../kit/id.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { DeskTables } from "./schema.ts";

type DeskRow = DeskTables["desk"]["$inferSelect"];
type DeskChange = Partial<Omit<DeskRow, "conversationId" | "tenantId">>;

/** A conversation, as the desk's tables name it. */
export interface DeskKey {
  tenantId: string;
  conversationId: string;
}

const untouched: DeskState = {
  assignee: null,
  labels: [],
  state: "open",
  snoozed_until: null,
  needs_person: null,
};

/** Shows what the desk decided. A snooze that is over is none: nothing has to wake it. */
export function presentDesk(row: DeskRow | undefined | null, now: Date): DeskState {
  if (row === undefined || row === null) return untouched;
  const { assignee, labels, needsReason, needsSince, snoozedUntil } = row;
  const isOver = row.state === "snoozed" && snoozedUntil !== null && snoozedUntil <= now;
  return {
    assignee,
    labels,
    state: isOver ? "open" : row.state,
    snoozed_until: isOver ? null : (snoozedUntil?.toISOString() ?? null),
    needs_person:
      needsReason === null || needsSince === null
        ? null
        : { reason: needsReason, since: needsSince.toISOString() },
  };
}

export async function readDesk(
  query: ReadQuery,
  { desk }: DeskTables,
  { tenantId, conversationId }: DeskKey,
): Promise<DeskRow | undefined> {
  const [row] = await query
    .select()
    .from(desk)
    .where(and(eq(desk.tenantId, tenantId), eq(desk.conversationId, conversationId)));
  return row;
}

export async function readDesks(
  query: ReadQuery,
  { desk }: DeskTables,
  conversationIds: readonly string[],
): Promise<Map<string, DeskRow>> {
  if (conversationIds.length === 0) return new Map();
  const rows = await query
    .select()
    .from(desk)
    .where(inArray(desk.conversationId, [...conversationIds]));
  return new Map(rows.map((row) => [row.conversationId, row]));
}

/** Changes what is decided about a conversation. */
export async function saveDesk(
  tx: Query,
  { desk }: DeskTables,
  key: DeskKey,
  change: DeskChange,
): Promise<DeskRow | undefined> {
  const fresh = { assignee: null, labels: [], state: "open" as const, snoozedUntil: null };
  const [row] = await tx
    .insert(desk)
    .values({ ...fresh, needsReason: null, needsSince: null, ...key, ...change })
    .onConflictDoUpdate({ target: [desk.conversationId], set: change })
    .returning();
  return row;
}

/** Adds a note or a decision to a conversation's history. */
export async function noteEntry(
  tx: Query,
  { deskEntries }: DeskTables,
  newId: NewId,
  { tenantId, conversationId }: DeskKey,
  entry: { kind: DeskEntryKind; by: string | null; text: string; at: Date },
): Promise<DeskEntry> {
  const id = newId();
  const row = { id, tenantId, conversationId, ...entry };
  await tx.insert(deskEntries).values(row).returning({ id: deskEntries.id });
  return presentEntry(row);
}

/** Entries that one conversation shows. */
const shownMax = 500;

/** Returns the newest notes and decisions of a conversation, the oldest first. */
export async function listEntries(
  read: ReadQuery,
  { deskEntries }: DeskTables,
  { tenantId, conversationId }: DeskKey,
): Promise<DeskEntry[]> {
  const rows = await read
    .select()
    .from(deskEntries)
    .where(and(eq(deskEntries.tenantId, tenantId), eq(deskEntries.conversationId, conversationId)))
    .orderBy(sql`${deskEntries.at} desc`, sql`${deskEntries.id} desc`)
    .limit(shownMax);
  return rows.reverse().map(presentEntry);
}

const presentEntry = (row: DeskTables["deskEntries"]["$inferSelect"]): DeskEntry => ({
  id: row.id,
  conversation_id: row.conversationId,
  kind: row.kind,
  by: row.by,
  text: row.text,
  at: row.at.toISOString(),
});

/** Opens a conversation again because its user wrote. An open one is not written. Returns its assignee. */
export async function wakeByUser(
  tx: Query,
  tables: DeskTables,
  newId: NewId,
  { tenantId, conversationId }: DeskKey,
  at: Date,
): Promise<string | null> {
  const [known] = await deskOf(tx, tables).execute({ tenantId, conversationId });
  if (known === undefined || known.state === "open") return known?.assignee ?? null;
  await saveDesk(tx, tables, { tenantId, conversationId }, { state: "open", snoozedUntil: null });
  const entry = { kind: "reopened" as const, by: null, text: "", at };
  await noteEntry(tx, tables, newId, { tenantId, conversationId }, entry);
  return known.assignee;
}

/** The conversation's own row is locked before. */
const deskOf = statement((tx: Query, { desk }: DeskTables) =>
  tx
    .select({ assignee: desk.assignee, state: desk.state })
    .from(desk)
    .where(and(equalsBound(desk.tenantId, "tenantId"), equalsBound(desk.conversationId, "conversationId")))
    .prepare("desk_of_conversation"),
);

const reasonChars = 500;

/** Asks for a person. A conversation that asks already keeps its first reason. Returns the entry of a new request. */
export async function needPerson(
  tx: Query,
  tables: DeskTables,
  newId: NewId,
  key: DeskKey,
  { reason, at }: { reason: string; at: Date },
): Promise<DeskEntry | undefined> {
  const known = await readDesk(tx, tables, key);
  if (known !== undefined && known.needsSince !== null) return undefined;
  const text = [...reason.trim()].slice(0, reasonChars).join("");
  await saveDesk(tx, tables, key, {
    needsReason: text,
    needsSince: at,
    state: "open",
    snoozedUntil: null,
  });
  return noteEntry(tx, tables, newId, key, { kind: "needs_person", by: null, text, at });
}

/** A person has looked: nothing asks for one any more. */
export const answeredByPerson = async (
  tx: Query,
  { desk }: DeskTables,
  { tenantId, conversationId }: DeskKey,
): Promise<void> => {
  await tx
    .update(desk)
    .set({ needsReason: null, needsSince: null })
    .where(and(eq(desk.tenantId, tenantId), eq(desk.conversationId, conversationId)))
    .returning({ id: desk.conversationId });
};

export interface DeskFilter {
  assignee?: string | undefined;
  label?: string | undefined;
  state?: ConversationState | undefined;
  needsPerson?: boolean | undefined;
}

/** Condition on a conversation and its row at the desk, which is null if nobody decided anything. An empty assignee is nobody. */
export function isAtDesk(
  { desk }: DeskTables,
  { assignee, label, state, needsPerson }: DeskFilter,
  now: Date,
): SQL | undefined {
  const at = sql.param(now, desk.snoozedUntil);
  const isAsleep = sql`(${desk.state} is not null and ${desk.state} = 'snoozed' and ${desk.snoozedUntil} > ${at})`;
  const isResolved = sql`(${desk.state} is not null and ${desk.state} = 'resolved')`;
  const states = {
    snoozed: isAsleep,
    resolved: isResolved,
    open: sql`not ${isAsleep} and not ${isResolved}`,
  };
  return and(
    assignee === undefined
      ? undefined
      : assignee === ""
        ? sql`${desk.assignee} is null`
        : eq(desk.assignee, assignee),
    // Labels are short texts without control characters, so their JSON text is found in the list's.
    label === undefined
      ? undefined
      : sql`${labelText(desk)} like ${`%${likeText(JSON.stringify(label))}%`} escape '!'`,
    state === undefined ? undefined : states[state],
    needsPerson === undefined
      ? undefined
      : needsPerson
        ? sql`${desk.needsSince} is not null`
        : sql`${desk.needsSince} is null`,
  );
}

const labelText = ({ labels }: DeskTables["desk"]) => sql`cast(${labels} as text)`;
const likeText = (text: string) => text.replace(/[!%_]/g, (sign) => `!${sign}`);

/** Records who wrote a message. */
export async function noteAuthor(
  tx: Query,
  { messageAuthors }: DeskTables,
  row: { messageId: string; tenantId: string; author: string; at: Date },
): Promise<void> {
  await tx.insert(messageAuthors).values(row).returning({ id: messageAuthors.messageId });
}

/** Persons who wrote messages, by message. */
export async function authorsOf(
  read: ReadQuery,
  { messageAuthors }: DeskTables,
  tenantId: string,
  messageIds: readonly string[],
): Promise<Map<string, string>> {
  if (messageIds.length === 0) return new Map();
  const rows = await read
    .select({ id: messageAuthors.messageId, author: messageAuthors.author })
    .from(messageAuthors)
    .where(and(eq(messageAuthors.tenantId, tenantId), inArray(messageAuthors.messageId, [...messageIds])))
    .orderBy(asc(messageAuthors.messageId));
  return new Map(rows.map(({ id, author }) => [id, author]));
}

/** Records up to where a person has read. */
export async function notePersonSeen(
  tx: Query,
  { deskSeen }: DeskTables,
  row: { conversationId: string; tenantId: string; person: string; seenAt: Date },
): Promise<void> {
  await tx
    .insert(deskSeen)
    .values(row)
    .onConflictDoUpdate({ target: [deskSeen.conversationId, deskSeen.person], set: { seenAt: row.seenAt } })
    .returning({ id: deskSeen.conversationId });
}

/** Time up to which a person has read the conversation of `id`; null: nothing of it. */
export const seenBy = ({ deskSeen }: DeskTables, id: SQL, person: string): SQL =>
  sql`(select ${deskSeen.seenAt} from ${deskSeen} where ${deskSeen.conversationId} = ${id} and ${deskSeen.person} = ${person})`;

/** Notes that are read of several conversations together. */
const notesTogetherMax = 1_000;

/** Returns the newest notes of conversations, the oldest first. */
export async function newestNotes(
  read: ReadQuery,
  { deskEntries }: DeskTables,
  conversationIds: readonly string[],
): Promise<DeskEntry[]> {
  if (conversationIds.length === 0) return [];
  const rows = await read
    .select()
    .from(deskEntries)
    .where(and(inArray(deskEntries.conversationId, [...conversationIds]), eq(deskEntries.kind, "note")))
    .orderBy(sql`${deskEntries.at} desc`, sql`${deskEntries.id} desc`)
    .limit(notesTogetherMax);
  return rows.reverse().map(presentEntry);
}
