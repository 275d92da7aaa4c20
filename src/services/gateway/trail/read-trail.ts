import { and, asc, desc, eq, inArray, or, sql } from "drizzle-orm";
import type { MessageTrail, TrailEvent, TrailMessage } from "../../../contracts/gateway/trail.ts";
import { AppError } from "../../../kit/app-error.ts";
import { phoneDigits } from "../../../kit/text/phone-digits.ts";
import { traceIdOf } from "../../../kit/trace-parent.ts";
import type { GatewayStorage } from "../tables.ts";
import { addressOf, type DeliveredRow } from "./note-inbound.ts";

export interface TrailQuery {
  /** A message's id, a provider's id, or a user's address. */
  id: string;
  tenant?: string | undefined;
  limit: number;
  offset: number;
}

type Found = GatewayStorage["tables"];
type OutboxRow = Found["outbox"]["$inferSelect"];
type TrailRow = Found["trail"]["$inferSelect"];

/**
 * Returns the messages that an id or address names, newest first, and those that they answer or that answer them. Without `tenant`, those
 * of all tenants: for operators only. Throws 404 if there are none.
 */
export async function readTrail(storage: GatewayStorage, query: TrailQuery): Promise<MessageTrail> {
  const { limit, offset } = query;
  const named = await namedIds(storage, query, spellingsOf(query.id));
  if (named.length === 0) {
    throw new AppError("not_found", "not_found", `No message has the id or address ${query.id}.`);
  }
  const page = named.slice(offset, offset + limit);
  const ids = [...new Set([...page, ...(await relatedIds(storage, query, page))])];
  if (ids.length === 0) return { messages: [], limit, offset };
  const { read, tables } = storage;
  const { inbound, outbox, trail } = tables;
  const sent = await read
    .select()
    .from(outbox)
    .where(and(inArray(outbox.id, ids), ofTenant(outbox, query)));
  const delivered = await read
    .select()
    .from(inbound)
    .where(and(inArray(inbound.id, ids), ofTenant(inbound, query)));
  const entries = await read
    .select()
    .from(trail)
    .where(and(inArray(trail.messageId, ids), ofTenant(trail, query)))
    .orderBy(asc(trail.id));
  const bySent = new Map(sent.map((row) => [row.id, row]));
  const byDelivered = new Map(delivered.map((row) => [row.id, row]));
  const byMessage = Map.groupBy(entries, ({ messageId }) => messageId);
  const messages = ids
    .sort()
    .reverse()
    .flatMap((id) => present(byDelivered.get(id) ?? bySent.get(id), byMessage.get(id) ?? []));
  return { messages, limit, offset };
}

const ofTenant = (table: Found["inbound"] | Found["outbox"] | Found["trail"], { tenant }: TrailQuery) =>
  tenant === undefined ? undefined : eq(table.tenantId, tenant);

/** An address may have many messages; only the newest are looked at. */
const namedMax = 10_000;

/** The id or address as it was asked for, and, if it is a phone number, as WhatsApp spells it. */
const spellingsOf = (id: string): string[] => [...new Set([id, phoneDigits(id) ?? id])];

async function namedIds(
  { read, tables }: GatewayStorage,
  query: TrailQuery,
  names: readonly string[],
): Promise<string[]> {
  const { inbound, outbox, trail } = tables;
  const delivered = await read
    .select({ id: inbound.id })
    .from(inbound)
    .where(
      and(
        eq(inbound.kind, "message"),
        or(inArray(inbound.id, names), inArray(inbound.channelMessageId, names), isOpenFrom(inbound, names)),
        ofTenant(inbound, query),
      ),
    )
    .orderBy(desc(inbound.id))
    .limit(namedMax);
  const sent = await read
    .select({ id: outbox.id })
    .from(outbox)
    .where(
      and(
        or(
          inArray(outbox.id, names),
          inArray(outbox.channelMessageId, names),
          inArray(outbox.recipient, names),
        ),
        ofTenant(outbox, query),
      ),
    )
    .orderBy(desc(outbox.id))
    .limit(namedMax);
  const told = await read
    .selectDistinct({ id: trail.messageId })
    .from(trail)
    .where(
      and(
        or(
          inArray(trail.messageId, names),
          inArray(trail.channelMessageId, names),
          inArray(trail.address, names),
        ),
        ofTenant(trail, query),
      ),
    )
    .orderBy(desc(trail.messageId))
    .limit(namedMax);
  return [...new Set([...delivered, ...sent, ...told].map((row) => row.id))].sort().reverse();
}

/** Until a message is closed, only its lane has the user's address: after the account's id, which has 36 characters, and a colon. */
const isOpenFrom = (inbound: Found["inbound"], addresses: readonly string[]) =>
  and(
    inArray(inbound.state, ["waiting", "working"]),
    inArray(
      sql`substr(${inbound.lane}, 38)`,
      addresses.map((address) => `c:${address}`),
    ),
  );

async function relatedIds(
  { read, tables: { trail } }: GatewayStorage,
  query: TrailQuery,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await read
    .select({ messageId: trail.messageId, relatedId: trail.relatedId })
    .from(trail)
    .where(
      and(or(inArray(trail.messageId, [...ids]), inArray(trail.relatedId, [...ids])), ofTenant(trail, query)),
    );
  return rows.flatMap(({ messageId, relatedId }) => (relatedId === null ? [] : [messageId, relatedId]));
}

function present(row: DeliveredRow | OutboxRow | undefined, entries: readonly TrailRow[]): TrailMessage[] {
  const [first] = entries;
  const known = row ?? first;
  if (known === undefined) return [];
  const named = entries.find(({ channelMessageId }) => channelMessageId !== null);
  const addressed = entries.find(({ address }) => address !== null);
  return [
    {
      message_id: row?.id ?? first?.messageId ?? "",
      tenant_id: known.tenantId,
      channel: known.channel,
      account_id: known.accountId,
      direction: row === undefined ? (first?.direction ?? "inbound") : isSent(row) ? "outbound" : "inbound",
      trace_id: traceOf(row, first?.messageId ?? ""),
      address: (row === undefined ? addressed?.address : addressIn(row)) ?? null,
      channel_message_id: row?.channelMessageId ?? named?.channelMessageId ?? null,
      // Events of one instant keep their order: those of the row come first.
      events: [...(row === undefined ? [] : ownEvents(row, entries)), ...entries.map(presentEvent)].sort(
        (a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0),
      ),
    },
  ];
}

/** An answer belongs to the trace of the message that it answers. */
const traceOf = (row: DeliveredRow | OutboxRow | undefined, id: string) =>
  (row !== undefined && isSent(row) ? row.payload.trace : undefined) ?? traceIdOf(row?.id ?? id);

const isSent = (row: DeliveredRow | OutboxRow): row is OutboxRow => "recipient" in row;
const addressIn = (row: DeliveredRow | OutboxRow) => (isSent(row) ? row.recipient : addressOf(row));

/** Events that the message's row itself tells. */
const ownEvents = (row: DeliveredRow | OutboxRow, entries: readonly TrailRow[]): TrailEvent[] =>
  isSent(row) ? sentEvents(row) : deliveredEvents(row, entries);

function deliveredEvents(
  { receivedAt, closedAt, state, event: { proof }, channelMessageId, conversationId, tries }: DeliveredRow,
  entries: readonly TrailRow[],
): TrailEvent[] {
  const at = receivedAt.toISOString();
  const isProof = typeof proof === "string";
  const received: TrailEvent = {
    at,
    event: "received",
    ...(channelMessageId !== null && { channel_message_id: channelMessageId }),
    ...(isProof && { details: { signature: proof } }),
  };
  // An event is parked without an entry if its process died too often.
  const last = entries.findLast(({ event }) => event === "parked" || event === "retried");
  const isParked = state === "parked" && last?.event !== "parked";
  return [
    received,
    {
      at,
      event: "queued",
      ...(conversationId !== null && { details: { conversation: conversationId } }),
    },
    ...(isParked
      ? [
          {
            at: (closedAt ?? receivedAt).toISOString(),
            event: "parked",
            details: { failed_tries: tries },
          } as const,
        ]
      : []),
  ];
}

function sentEvents({
  createdAt,
  sentAt,
  source,
  conversationId,
  status,
  attempts,
  lastError,
  channelMessageId,
}: OutboxRow): TrailEvent[] {
  const queued: TrailEvent = {
    at: createdAt.toISOString(),
    event: "queued",
    details: { source, ...(conversationId !== null && { conversation: conversationId }) },
  };
  if (sentAt === null) return [queued];
  const sent: TrailEvent = {
    at: sentAt.toISOString(),
    event: "sent",
    ...(channelMessageId !== null && { channel_message_id: channelMessageId }),
    details: { failed_tries: attempts, ...(status !== "sent" && { last_error: lastError }) },
  };
  return [queued, sent];
}

const presentEvent = ({ at, event, channelMessageId, relatedId, details }: TrailRow): TrailEvent => ({
  at: at.toISOString(),
  event,
  ...(channelMessageId !== null && { channel_message_id: channelMessageId }),
  ...(relatedId !== null && { related_id: relatedId }),
  ...(Object.keys(details).length > 0 && { details }),
});
