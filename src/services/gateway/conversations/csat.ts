import { and, eq } from "drizzle-orm";
import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { enqueueMessage, type NewMessage } from "../../../channels/outbox/enqueue-message.ts";
import type { NewId } from "../../../kit/id.ts";
import { normalized } from "../../../kit/text/normalize.ts";
import type { Query } from "../../../storage/storage.ts";
import { findAccount } from "../accounts/store.ts";
import { findBindingOf } from "../bindings/store.ts";
import { noteEntry } from "../desk/store.ts";
import type { InboundRow } from "../inbound/schema.ts";
import type { OutboxRoom } from "../outbox/outbox-room.ts";
import { noteMeasure } from "../reports/measure.ts";
import type { GatewayTables } from "../tables.ts";
import { addMessage, type ConversationRow } from "./store.ts";
import { windowEnds } from "./window.ts";

/*
 * When a person resolves a conversation, its user may be asked how good the help was. Only their very next message can be the answer: a
 * "5" later may be the answer to something else.
 */

/** An answer after this time is a message like any other. */
const answeredWithinMs = 3 * 24 * 60 * 60_000;

/**
 * Queues the binding's question in the transaction of a resolution. Returns undefined if there is none, the provider would refuse it, or too
 * much waits to be sent.
 */
export async function askScore(
  tx: Query,
  tables: GatewayTables,
  { newId, room }: { newId: NewId; room: OutboxRoom },
  row: ConversationRow,
  by: string | null,
  now: Date,
): Promise<NewMessage | undefined> {
  const { id: conversationId, tenantId, accountId, channel, agentName } = row;
  const binding = await findBindingOf(tx, tables, tenantId, accountId);
  const text = binding?.masked.csat_question;
  if (text === undefined || row.unreachableAt !== null) return undefined;
  const account = await findAccount(tx, tables, tenantId, accountId);
  if (account === undefined || account.pausedReason !== null) return undefined;
  const end = (await windowEnds(tx, tables, [row])).get(conversationId);
  if (end === null || (end !== undefined && end <= now)) return undefined;
  if (await room.isFull(tx, tables, row)) return undefined;
  const id = newId();
  const recipient = row.recipient ?? row.externalUser;
  const question: NewMessage = {
    id,
    tenantId,
    channel,
    accountId,
    recipient,
    conversationId,
    source: "api",
    payload: { text },
  };
  await enqueueMessage(tx, tables, question, now);
  await addMessage(tx, tables, {
    id,
    tenantId,
    conversationId,
    channel,
    direction: "outbound",
    kind: "text",
    text,
    media: [],
    channelMessageId: null,
    replyToId: null,
    firstText: null,
    untoldBy: "program",
    at: now,
  });
  const { conversations } = tables;
  await tx
    .update(conversations)
    .set({ csatAskedAt: now })
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, conversationId)))
    .returning({ id: conversations.id });
  await noteEntry(
    tx,
    tables,
    newId,
    { tenantId, conversationId },
    { kind: "csat_asked", by, text: "", at: now },
  );
  const asked = { id, tenantId, channel, measure: "csat_asked" as const, value: 0 };
  await noteMeasure(tx, tables, { ...asked, person: by, agent: agentName, at: now });
  return question;
}

/** The score that a message gives to the question of its conversation; undefined: it gives none. */
export function scoreOf(
  { csatAskedAt }: ConversationRow,
  { text, media, conversation: { isGroup } }: MessageEvent,
  now: Date,
): number | undefined {
  if (csatAskedAt === null || isGroup || media.length > 0) return undefined;
  return now.getTime() - csatAskedAt.getTime() > answeredWithinMs ? undefined : readScore(text);
}

/** Reads a lone number from 1 to 5, also as `4/5` or as stars. */
export function readScore(text: string): number | undefined {
  const plain = normalized(text, "NFKC")
    .replaceAll(/[\ufe0f\u20e3]/gu, "")
    .trim();
  if (/^(?:[⭐★🌟]\s?){1,5}$/u.test(plain)) return [...plain.matchAll(/[⭐★🌟]/gu)].length;
  const [, digit] = /^([1-5])(?:\s?\/\s?5)?[.!]?$/.exec(plain) ?? [];
  return digit === undefined ? undefined : Number(digit);
}

/** Keeps a score for the reports and in the conversation's history. */
export async function keepScore(
  tx: Query,
  tables: GatewayTables,
  newId: NewId,
  { id, tenantId, channel }: InboundRow,
  { id: conversationId, agentName }: ConversationRow,
  score: number,
  now: Date,
): Promise<void> {
  const key = { tenantId, conversationId };
  const by = await resolverOf(tx, tables, key);
  await noteEntry(tx, tables, newId, key, { kind: "csat", by: null, text: String(score), at: now });
  const measured = { id, tenantId, channel, measure: "csat" as const, value: score };
  await noteMeasure(tx, tables, { ...measured, person: by, agent: agentName, at: now });
}

/** The person whose resolution led to the latest question. */
async function resolverOf(
  tx: Query,
  { deskEntries }: GatewayTables,
  { tenantId, conversationId }: { tenantId: string; conversationId: string },
): Promise<string | null> {
  const rows = await tx
    .select({ by: deskEntries.by, at: deskEntries.at })
    .from(deskEntries)
    .where(
      and(
        eq(deskEntries.tenantId, tenantId),
        eq(deskEntries.conversationId, conversationId),
        eq(deskEntries.kind, "csat_asked"),
      ),
    );
  return rows.toSorted((one, two) => two.at.getTime() - one.at.getTime())[0]?.by ?? null;
}
