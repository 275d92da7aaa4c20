import type { ReactionEvent } from "../../../channels/inbound/inbound-event.ts";
import { ratingOf } from "../../../channels/inbound/reaction-rating.ts";
import { closeEvent } from "../../../channels/inbox/close-event.ts";
import type { Processed } from "../../../channels/inbox/inbound-worker.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { findBindingOf, openConfig } from "../bindings/store.ts";
import { addMessage, lockConversationWith } from "../conversations/store.ts";
import { callPerson } from "../desk/desk-notices.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { InboundRow } from "../inbound/schema.ts";
import {
  findReacted,
  hasUntoldMessage,
  type ReactedMessage,
  saveReaction,
  standingReaction,
} from "../reactions/store.ts";
import type { GatewayStorage } from "../tables.ts";
import { appendTrail } from "../trail/append-trail.ts";
import type { RunVerdicts, VerdictAnswer } from "./run-verdicts.ts";

export interface ReactionPorts {
  storage: GatewayStorage;
  sealer: Sealer | undefined;
  verdicts: RunVerdicts;
  feed: EventFeed;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

/** Time for which a reaction waits for the id of a message that is being sent. */
const untoldMs = 2 * 60_000;
const untoldWaitMs = 2_000;
/** Time for which a verdict waits for the platform. */
const patienceMs = 24 * 60 * 60_000;
const againMs = 15_000;

const outcomes: Record<Exclude<VerdictAnswer, "unreachable">, string> = {
  kept: "feedback",
  unknown: "unknown_run",
  refused: "feedback_refused",
};

/**
 * Records a reaction to one of our messages, and gives the platform what users now say of the run that wrote it. The verdict is read from
 * the stored reactions at each try, so a repeated try changes nothing.
 */
export async function recordReaction(
  ports: ReactionPorts,
  row: InboundRow,
  event: ReactionEvent,
  signal: AbortSignal,
): Promise<Processed> {
  const { storage, clock } = ports;
  const { tables } = storage;
  const waitedMs = clock.now().getTime() - row.receivedAt.getTime();
  const message = await findReacted(storage, row, event);
  if (message === undefined) {
    const recipient = event.chat ?? event.address.address;
    if (waitedMs < untoldMs && (await hasUntoldMessage(storage, row, recipient)))
      return { type: "later", waitMs: untoldWaitMs };
    return { type: "closed", outcome: await closeUnknown(ports, row, event) };
  }
  const isNewest = await storage.transact(
    async (tx) => {
      const isNewest = await saveReaction(tx, tables, row, message, { ...event, at: row.sentAt });
      const isBad = event.emoji !== undefined && ratingOf(event.emoji) === "down";
      const { tenantId } = row;
      const { conversationId } = message;
      if (isNewest && isBad && conversationId !== null)
        await callPerson(
          tx,
          tables,
          ports.newId,
          { tenantId, conversationId },
          { reason: "low_score", at: clock.now() },
        );
      return isNewest;
    },
    { isolation: "read committed" },
  );
  if (!isNewest) return { type: "closed", outcome: await close(ports, row, "older_reaction") };
  const answer = await giveVerdict(ports, row, message, signal);
  if (answer === "unreachable" && waitedMs < patienceMs) return { type: "later", waitMs: againMs };
  const outcome =
    answer === undefined ? "reaction" : answer === "unreachable" ? "feedback_lost" : outcomes[answer];
  if (outcome === "feedback_lost" || outcome === "feedback_refused")
    ports.log.warn("reaction.not_counted", { event: row.id, outcome });
  return { type: "closed", outcome: await close(ports, row, outcome, { event, message }) };
}

/** Returns undefined for a message that no run wrote. */
async function giveVerdict(
  { storage, sealer, verdicts }: ReactionPorts,
  { tenantId, accountId, channel }: InboundRow,
  { invocationId }: ReactedMessage,
  signal: AbortSignal,
): Promise<VerdictAnswer | undefined> {
  if (invocationId === null) return undefined;
  const { read, tables } = storage;
  const binding = await findBindingOf(read, tables, tenantId, accountId);
  const apiKey =
    binding === undefined || sealer === undefined ? undefined : openConfig(sealer, binding).platform_api_key;
  // Only the tenant's key may judge the run.
  if (apiKey === undefined) return "refused";
  const standing = await standingReaction(read, tables, tenantId, invocationId);
  const given = standing && {
    rating: standing.rating,
    channel,
    emoji: standing.emoji,
    at: standing.at.toISOString(),
  };
  return verdicts.judge({ apiKey, invocationId, given }, signal);
}

/** Closes a reaction, and notes it in the ledger of the message that it is on. */
async function close(
  { storage, clock, newId, feed }: ReactionPorts,
  row: InboundRow,
  outcome: string,
  noted?: { event: ReactionEvent; message: ReactedMessage },
): Promise<string> {
  const { tables } = storage;
  const { tenantId, accountId, channel } = row;
  const conversationId = noted?.message.conversationId ?? undefined;
  await storage.transact(
    async (tx) => {
      const at = clock.now();
      await closeEvent(tx, tables, row, { outcome, conversationId }, at);
      if (noted === undefined) return;
      const { event, message } = noted;
      const emoji = event.emoji ?? null;
      const rating = emoji === null ? null : (ratingOf(emoji) ?? null);
      const entry = {
        messageId: message.id,
        tenantId,
        accountId,
        channel,
        direction: "outbound" as const,
        event: "reacted" as const,
        channelMessageId: event.about,
        details: {
          emoji,
          rating,
          outcome,
          ...(message.invocationId !== null && { invocation: message.invocationId }),
        },
        at,
      };
      await appendTrail(tx, tables, newId, [entry]);
    },
    { isolation: "read committed" },
  );
  if (noted !== undefined) {
    feed.publish({
      about: "outbound",
      change: "reaction",
      tenant_id: tenantId,
      account_id: accountId,
      channel,
      message_id: noted.message.id,
      ...(conversationId !== undefined && { conversation_id: conversationId }),
    });
  }
  return outcome;
}

/** A reaction to a message that is not in the outbox, such as the user's own, is a line of the conversation. */
async function closeUnknown(
  { storage, clock }: ReactionPorts,
  row: InboundRow,
  { address, about, chat, emoji }: ReactionEvent,
): Promise<string> {
  const { tables } = storage;
  const outcome = "unknown_message";
  const { id, tenantId, channel, receivedAt } = row;
  const externalUser = chat ?? address.address;
  await storage.transact(
    async (tx) => {
      const conversation =
        emoji === undefined ? undefined : await lockConversationWith(tx, tables, row, externalUser);
      await closeEvent(tx, tables, row, { outcome, conversationId: conversation?.id }, clock.now());
      if (conversation === undefined) return;
      await addMessage(tx, tables, {
        id,
        tenantId,
        conversationId: conversation.id,
        channel,
        direction: "inbound",
        kind: "reaction",
        text: emoji ?? "",
        media: [],
        channelMessageId: about,
        firstText: null,
        replyToId: null,
        untoldBy: null,
        at: receivedAt,
      });
    },
    { isolation: "read committed" },
  );
  return outcome;
}
