import { and, asc, desc, eq, inArray, or } from "drizzle-orm";
import type { MessageTrail, TrailEvent, TrailMessage } from "../../../contracts/gateway/trail.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { GatewayStorage } from "../tables.ts";

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
type InboundRow = Found["inbound"]["$inferSelect"];

/**
 * Returns the messages that an id or address names, newest first, and those that they answer or that answer them. Without `tenant`, those
 * of all tenants: for operators only. Throws 404 if there are none.
 */
export async function readTrail(storage: GatewayStorage, query: TrailQuery): Promise<MessageTrail> {
  const { limit, offset } = query;
  const named = await namedIds(storage, query);
  if (named.length === 0) {
    throw new AppError("not_found", "not_found", `No message has the id or address ${query.id}.`);
  }
  const page = named.slice(offset, offset + limit);
  const ids = [...new Set([...page, ...(await relatedIds(storage, query, page))])];
  if (ids.length === 0) return { messages: [], limit, offset };
  const { read, tables } = storage;
  const { outbox, trail, inbound } = tables;
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
    .flatMap((id) => present(bySent.get(id), byDelivered.get(id), byMessage.get(id) ?? []));
  return { messages, limit, offset };
}

type Owned = Found["outbox"] | Found["trail"] | Found["inbound"] | Found["conversations"];

const ofTenant = (table: Owned, { tenant }: TrailQuery) =>
  tenant === undefined ? undefined : eq(table.tenantId, tenant);

/** An address may have many messages; only the newest are looked at. */
const namedMax = 10_000;

async function namedIds({ read, tables }: GatewayStorage, query: TrailQuery): Promise<string[]> {
  const { outbox, trail, inbound, conversations } = tables;
  const { id } = query;
  const sent = await read
    .select({ id: outbox.id })
    .from(outbox)
    .where(
      and(
        or(eq(outbox.id, id), eq(outbox.channelMessageId, id), eq(outbox.recipient, id)),
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
        or(eq(trail.messageId, id), eq(trail.channelMessageId, id), eq(trail.address, id)),
        ofTenant(trail, query),
      ),
    )
    .orderBy(desc(trail.messageId))
    .limit(namedMax);
  const delivered = await read
    .select({ id: inbound.id })
    .from(inbound)
    .where(
      and(
        eq(inbound.kind, "message"),
        or(eq(inbound.id, id), eq(inbound.channelMessageId, id)),
        ofTenant(inbound, query),
      ),
    )
    .limit(namedMax);
  const written = await read
    .select({ id: inbound.id })
    .from(inbound)
    .innerJoin(
      conversations,
      and(eq(conversations.id, inbound.conversationId), eq(conversations.tenantId, inbound.tenantId)),
    )
    .where(
      and(eq(inbound.kind, "message"), eq(conversations.externalUser, id), ofTenant(conversations, query)),
    )
    .orderBy(desc(inbound.id))
    .limit(namedMax);
  return [...new Set([...sent, ...told, ...delivered, ...written].map((row) => row.id))].sort().reverse();
}

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

function present(
  row: OutboxRow | undefined,
  delivered: InboundRow | undefined,
  entries: readonly TrailRow[],
): TrailMessage[] {
  if (delivered !== undefined) return [presentDelivered(delivered, entries)];
  const [first] = entries;
  const known = row ?? first;
  if (known === undefined) return [];
  const named = entries.find(({ channelMessageId }) => channelMessageId !== null);
  return [
    {
      message_id: row?.id ?? first?.messageId ?? "",
      tenant_id: known.tenantId,
      channel: known.channel,
      account_id: known.accountId,
      direction: row === undefined ? (first?.direction ?? "inbound") : "outbound",
      address: row?.recipient ?? entries.find(({ address }) => address !== null)?.address ?? null,
      channel_message_id: row?.channelMessageId ?? named?.channelMessageId ?? null,
      events: inOrder([...(row === undefined ? [] : ownEvents(row)), ...entries.map(presentEvent)]),
    },
  ];
}

/** A message of a user, as its row in the inbox and the ledger tell it. */
function presentDelivered(row: InboundRow, entries: readonly TrailRow[]): TrailMessage {
  return {
    message_id: row.id,
    tenant_id: row.tenantId,
    channel: row.channel,
    account_id: row.accountId,
    direction: "inbound",
    address: senderOf(row),
    channel_message_id: row.channelMessageId,
    events: inOrder([...deliveredEvents(row), ...entries.map(presentEvent)]),
  };
}

/** Address of the user in the stored event. */
function senderOf({ event }: InboundRow): string | null {
  const sender: unknown = event.sender;
  const address: unknown =
    typeof sender === "object" && sender !== null ? Reflect.get(sender, "address") : null;
  return typeof address === "string" ? address : null;
}

/** Outcomes in which the agent ran. */
const ran: ReadonlySet<string> = new Set(["answered", "silent", "fallback", "failed"]);

function deliveredEvents({
  receivedAt,
  closedAt,
  outcome,
  state,
  invocationId,
  conversationId,
  channelMessageId,
  tries,
}: InboundRow): TrailEvent[] {
  const received: TrailEvent = {
    at: receivedAt.toISOString(),
    event: "received",
    ...(channelMessageId !== null && { channel_message_id: channelMessageId }),
    ...(conversationId !== null && { details: { conversation: conversationId } }),
  };
  if (closedAt === null) return [received];
  const closed: TrailEvent = {
    at: closedAt.toISOString(),
    event: state === "parked" ? "parked" : ran.has(outcome ?? "") ? "run" : "closed",
    details: {
      outcome,
      ...(invocationId !== null && { invocation: invocationId }),
      ...(tries > 0 && { failed_tries: tries }),
    },
  };
  // The ledger has the entry for a callback.
  return outcome === "forwarded" ? [received] : [received, closed];
}

/** Events of one time keep their order. */
const inOrder = (events: readonly TrailEvent[]): TrailEvent[] =>
  events.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));

/** Events that the outbox's row itself tells. */
function ownEvents({
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
