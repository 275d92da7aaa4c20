import { and, desc, eq, inArray, isNotNull, lte, or, sql } from "drizzle-orm";
import type { ReactionEvent } from "../../../channels/inbound/inbound-event.ts";
import { type ReactionRating, ratingOf } from "../../../channels/inbound/reaction-rating.ts";
import { laneOf } from "../../../channels/outbox/settle-messages.ts";
import type { MessageReaction } from "../../../contracts/gateway/admin.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";

export type ReactionRow = GatewayTables["reactions"]["$inferSelect"];

/** Account that a reaction was delivered to. */
export interface ReactedAccount {
  tenantId: string;
  accountId: string;
}

/** Message of the outbox that a reaction is on. */
export type ReactedMessage = Pick<
  GatewayTables["outbox"]["$inferSelect"],
  "id" | "channel" | "conversationId" | "invocationId" | "recipient"
>;

/** Newest messages to one chat whose parts are looked through. */
const recentMax = 200;

/** Finds the account's message, or the part of it, that has the provider's id. */
export async function findReacted(
  { read, tables }: GatewayStorage,
  { tenantId, accountId }: ReactedAccount,
  { about, chat }: Pick<ReactionEvent, "about" | "chat">,
): Promise<ReactedMessage | undefined> {
  const { outbox, trail } = tables;
  const { id, channel, conversationId, invocationId, recipient } = outbox;
  const inChat = chat === undefined ? undefined : isInChat(outbox.recipient, chat);
  const ofAccount = and(eq(outbox.tenantId, tenantId), eq(outbox.accountId, accountId), inChat);
  const columns = { id, channel, conversationId, invocationId, recipient };
  const [whole] = await read
    .select(columns)
    .from(outbox)
    .where(and(ofAccount, eq(outbox.channelMessageId, about)))
    .orderBy(desc(outbox.id))
    .limit(1);
  if (whole !== undefined) return whole;
  // The row has the id of its last part. Earlier parts are calls in the ledger.
  const inParts =
    chat === undefined
      ? undefined
      : (
          await read.select({ id }).from(outbox).where(ofAccount).orderBy(desc(outbox.id)).limit(recentMax)
        ).map((row) => row.id);
  const [part] = await read
    .select(columns)
    .from(trail)
    .innerJoin(outbox, eq(outbox.id, trail.messageId))
    .where(
      and(
        ofAccount,
        eq(trail.tenantId, tenantId),
        eq(trail.event, "attempt"),
        eq(trail.channelMessageId, about),
        inParts && inArray(trail.messageId, inParts),
      ),
    )
    .limit(1);
  return part;
}

/** A reaction doesn't name the topic of its message. */
const isInChat = (recipient: GatewayTables["outbox"]["recipient"], chat: string) =>
  or(eq(recipient, chat), sql`substr(${recipient}, 1, ${chat.length + 1}) = ${`${chat}/`}`);

/** Returns true while the provider may have a message to this recipient whose id it has not told us. */
export async function hasUntoldMessage(
  { read, tables: { outbox } }: GatewayStorage,
  { tenantId, accountId }: ReactedAccount,
  recipient: string,
): Promise<boolean> {
  const lane = laneOf({ accountId, recipient, source: "agent_reply" });
  const [row] = await read
    .select({ id: outbox.id })
    .from(outbox)
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.lane, lane),
        or(eq(outbox.status, "sending"), eq(outbox.isUnsettled, true)),
      ),
    )
    .limit(1);
  return row !== undefined;
}

/** Stores a reaction or its removal, unless a newer one of the same person is stored. Returns false in that case. */
export async function saveReaction(
  tx: Query,
  { reactions }: GatewayTables,
  { tenantId, accountId }: ReactedAccount,
  { id: messageId, invocationId }: Pick<ReactedMessage, "id" | "invocationId">,
  { about, address, emoji, at }: Pick<ReactionEvent, "about" | "address" | "emoji"> & { at: Date },
): Promise<boolean> {
  const last = {
    emoji: emoji ?? null,
    rating: emoji === undefined ? null : (ratingOf(emoji) ?? null),
    at,
  };
  const key = { tenantId, messageId, channelMessageId: about, address: address.address };
  const saved = await tx
    .insert(reactions)
    .values({ ...key, accountId, invocationId, ...last })
    .onConflictDoUpdate({
      target: [reactions.tenantId, reactions.messageId, reactions.channelMessageId, reactions.address],
      set: last,
      setWhere: lte(reactions.at, at),
    })
    .returning({ messageId: reactions.messageId });
  return saved.length > 0;
}

/** Returns a person's last reaction to a message or a part of it, also if it was removed. */
export async function findReaction(
  query: ReadQuery,
  { reactions }: GatewayTables,
  {
    tenantId,
    messageId,
    about,
    address,
  }: { tenantId: string; messageId: string; about: string; address: string },
): Promise<ReactionRow | undefined> {
  const [row] = await query
    .select()
    .from(reactions)
    .where(
      and(
        eq(reactions.tenantId, tenantId),
        eq(reactions.messageId, messageId),
        eq(reactions.channelMessageId, about),
        eq(reactions.address, address),
      ),
    );
  return row;
}

/** The reaction that counts for a run. */
export interface StandingReaction {
  rating: ReactionRating;
  emoji: string;
  at: Date;
}

/** Returns the newest reaction to any of a run's messages that says good or bad. */
export async function standingReaction(
  read: ReadQuery,
  { reactions }: GatewayTables,
  tenantId: string,
  invocationId: string,
): Promise<StandingReaction | undefined> {
  const { rating, emoji, at } = reactions;
  const [row] = await read
    .select({ rating, emoji, at })
    .from(reactions)
    .where(
      and(
        eq(reactions.tenantId, tenantId),
        eq(reactions.invocationId, invocationId),
        isNotNull(rating),
        isNotNull(emoji),
      ),
    )
    .orderBy(desc(at), desc(reactions.messageId), desc(reactions.channelMessageId), desc(reactions.address))
    .limit(1);
  return row === undefined || row.rating === null || row.emoji === null
    ? undefined
    : { rating: row.rating, emoji: row.emoji, at: row.at };
}

/** Reactions of one message that a conversation shows. */
const shownMax = 20;

/** Returns the reactions to messages, newest first, by message. */
export async function reactionsTo(
  read: ReadQuery,
  { reactions }: GatewayTables,
  tenantId: string,
  messageIds: readonly string[],
): Promise<Map<string, MessageReaction[]>> {
  if (messageIds.length === 0) return new Map();
  const rows = await read
    .select()
    .from(reactions)
    .where(
      and(
        eq(reactions.tenantId, tenantId),
        inArray(reactions.messageId, [...messageIds]),
        isNotNull(reactions.emoji),
      ),
    )
    .orderBy(desc(reactions.at), desc(reactions.address));
  const shown = new Map<string, MessageReaction[]>();
  for (const { messageId, emoji, rating, at } of rows) {
    const known = shown.get(messageId) ?? [];
    if (emoji === null || known.length >= shownMax) continue;
    shown.set(messageId, [...known, { emoji, rating, at: at.toISOString() }]);
  }
  return shown;
}
