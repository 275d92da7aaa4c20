import { and, asc, eq, gt, or } from "drizzle-orm";
import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { isTry } from "../../../channels/inbox/claim-events.ts";
import { leaseLost } from "../../../channels/inbox/close-event.ts";
import { storedEvent } from "../../../channels/inbox/event-row.ts";
import type { StoredEvent } from "../../../channels/inbox/schema.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { BindingConfig } from "../bindings/binding-config.ts";
import type { InboundRow } from "../inbound/schema.ts";
import type { GatewayTables } from "../tables.ts";

/*
 * Messages that belong together are one run: files of one album, and lines that follow each other within `collect_seconds`. The first one waits.
 * At each of its tries it takes in those that arrived since, within one transaction: they are closed as `joined`, and their contents become
 * part of its stored event. So a crash loses none, and none is answered twice. Its conversation waits with it.
 */

/** Channels that deliver the files of an album as messages of their own, without its name. */
const unnamedAlbums: ReadonlySet<ChannelName> = new Set(["phone_messenger", "photo_social"]);
const albumMs = 2_000;
/** The whole wait is at most so many times the one after each message. */
const waitsMax = 3;
const joinedMax = 50;

/** A message that became part of another. */
export interface JoinedMessage {
  row: InboundRow;
  event: MessageEvent;
}

/** Time for which a message waits for others that are answered with it. */
function windowMs(channel: ChannelName, event: MessageEvent, { collect_seconds = 0 }: BindingConfig): number {
  if (!isPlain(event)) return 0;
  const isAlbum = event.album !== undefined || (unnamedAlbums.has(channel) && hasFiles(event));
  return Math.max(collect_seconds * 1_000, isAlbum ? albumMs : 0);
}

/** What is pressed or filled in is answered by itself, at once. */
const isPlain = ({ reply, data, callbackId }: MessageEvent): boolean =>
  reply === undefined && data === undefined && callbackId === undefined;

const hasFiles = ({ media }: MessageEvent): boolean => media.some(({ kind }) => kind !== "link");

function isJoined(first: MessageEvent, next: MessageEvent, { collect_seconds = 0 }: BindingConfig): boolean {
  if (!isPlain(next) || next.sender.address !== first.sender.address) return false;
  if (collect_seconds > 0) return true;
  return first.album === undefined ? next.album === undefined && hasFiles(next) : next.album === first.album;
}

/**
 * Takes in the messages that belong to this one and arrived meanwhile. Returns the message with them, and how long it waits for more. `record`
 * adds one to the conversation.
 */
export async function joinMessages(
  tx: Query,
  tables: GatewayTables,
  {
    row,
    event,
    config,
    conversationId,
  }: { row: InboundRow; event: MessageEvent; config: BindingConfig; conversationId: string },
  record: (joined: JoinedMessage) => Promise<void>,
  now: Date,
): Promise<{ event: MessageEvent; waitMs: number }> {
  const window = windowMs(row.channel, event, config);
  if (window === 0 || row.lane === null) return { event, waitMs: 0 };
  const firstMs = row.receivedAt.getTime();
  let lastMs = event.joinedAt === undefined ? firstMs : Date.parse(event.joinedAt);
  const latestMs = firstMs + waitsMax * window;
  const joined: JoinedMessage[] = [];
  let isOver = false;
  for (const next of await following(tx, tables, row)) {
    const other = storedEvent(next);
    const atMs = next.receivedAt.getTime();
    isOver =
      other.type !== "message" ||
      !isJoined(event, other, config) ||
      atMs > Math.min(lastMs + window, latestMs) ||
      (event.joined?.length ?? 0) + joined.length >= joinedMax;
    if (isOver || other.type !== "message") break;
    joined.push({ row: next, event: other });
    lastMs = Math.max(lastMs, atMs);
  }
  const waitMs = isOver ? 0 : Math.max(0, Math.min(lastMs + window, latestMs) - now.getTime());
  if (joined.length === 0) return { event, waitMs };
  const whole = { ...joined.reduce(withMessage, event), joinedAt: new Date(lastMs).toISOString() };
  for (const one of joined) await record(one);
  await closeJoined(tx, tables, { row, conversationId }, joined, now);
  await keepEvent(tx, tables, row, whole);
  return { event: whole, waitMs };
}

/** Messages of the conversation that wait behind this one, in their order. */
function following(
  tx: Query,
  { inbound }: GatewayTables,
  { id, lane, tenantId, sentAt }: InboundRow,
): Promise<InboundRow[]> {
  return tx
    .select()
    .from(inbound)
    .where(
      and(
        eq(inbound.lane, lane ?? ""),
        eq(inbound.tenantId, tenantId),
        eq(inbound.state, "waiting"),
        or(gt(inbound.sentAt, sentAt), and(eq(inbound.sentAt, sentAt), gt(inbound.id, id))),
      ),
    )
    .orderBy(asc(inbound.sentAt), asc(inbound.id))
    .limit(joinedMax);
}

function withMessage(whole: MessageEvent, { row, event }: JoinedMessage): MessageEvent {
  return {
    ...whole,
    text: [whole.text, event.text].filter((text) => text.trim() !== "").join("\n"),
    media: [...whole.media, ...event.media],
    ...(whole.replyTo === undefined && event.replyTo !== undefined && { replyTo: event.replyTo }),
    ...(whole.referral === undefined && event.referral !== undefined && { referral: event.referral }),
    joined: [...(whole.joined ?? []), row.id],
  };
}

async function closeJoined(
  tx: Query,
  { inbound }: GatewayTables,
  { row: { id, tenantId }, conversationId }: { row: InboundRow; conversationId: string },
  joined: readonly JoinedMessage[],
  now: Date,
): Promise<void> {
  for (const { row, event } of joined) {
    const closed = await tx
      .update(inbound)
      .set({
        state: "done",
        outcome: "joined",
        event: { ...event, joinedTo: id } as unknown as StoredEvent,
        lane: null,
        closedAt: now,
        conversationId,
      })
      .where(and(eq(inbound.tenantId, tenantId), eq(inbound.id, row.id), eq(inbound.state, "waiting")))
      .returning({ id: inbound.id });
    if (closed.length === 0)
      throw new AppError("conflict", "transaction_conflict", "The messages changed at the same time.");
  }
}

/** Stores what the message has become. Throws `lease_lost` if another try has it. */
async function keepEvent(
  tx: Query,
  tables: GatewayTables,
  row: InboundRow,
  event: MessageEvent,
): Promise<void> {
  const { inbound } = tables;
  const kept = await tx
    .update(inbound)
    .set({ event: event as unknown as StoredEvent })
    .where(isTry(tables, row))
    .returning({ id: inbound.id });
  if (kept.length === 0) throw leaseLost();
}
