import { and, sql } from "drizzle-orm";
import type { AnswerFormat } from "../../../channels/formatting/format-answer.ts";
import { closeEvent } from "../../../channels/inbox/close-event.ts";
import { enqueueMessage, type NewMessage } from "../../../channels/outbox/enqueue-message.ts";
import { traceIdOf } from "../../../kit/trace-parent.ts";
import { boundValue, equalsBound, statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import { lockConversation } from "../conversations/store.ts";
import { answering, touching } from "../conversations/touch.ts";
import { noteTold } from "../conversations/untold-turns.ts";
import { callPerson } from "../desk/desk-notices.ts";
import { changeOf } from "../inbound/receive-delivery.ts";
import type { MessageRow } from "../inbound/schema.ts";
import type { GatewayTables } from "../tables.ts";
import { type NotedRun, noteEnd } from "../trail/note-inbound.ts";
import { noteReply } from "./note-message.ts";
import type { ProcessPorts } from "./process-event.ts";
import { replyParts } from "./reply-parts.ts";

/** Messages of one answer are sent at least this far apart. */
const apartMs = 1_500;

/** What ends a message's processing. */
export interface Ending {
  outcome: "answered" | "silent" | "fallback" | "failed" | "parked";
  text: string;
  /** How the text is written; absent: as it is. */
  format?: AnswerFormat | undefined;
  /** Run that the message led to; undefined if none was asked for. */
  run?: NotedRun | undefined;
  /** True to offer the button with which the user shares their number. */
  asksContact?: boolean;
  /** Why a person is to look at the conversation. */
  needs?: string | undefined;
  /** Ids of messages that the run was told. */
  told?: readonly string[] | undefined;
  /** What an answer changes in its conversation. */
  serving?: { agent: string; opens: boolean; handoffAgent: string | undefined };
}

/**
 * Closes a message and queues its replies in one transaction, so that a message is answered once. A conversation that a person took over
 * in the meantime gets no answer. Returns the outcome.
 */
export async function finishMessage(
  { storage, clock, newId, bell, feed }: ProcessPorts,
  { row, event }: MessageRow,
  conversationId: string,
  ending: Ending,
): Promise<string> {
  const { tables } = storage;
  const texts = replyParts(row.channel, ending.text, ending.format ?? "raw");
  const queued: string[] = [];
  let keptId = conversationId;
  const outcome = await storage.transact(
    async (tx) => {
      queued.length = 0;
      const now = clock.now();
      const conversation = await lockConversation(tx, tables, row.tenantId, conversationId);
      // The conversation may have become part of another since.
      keptId = conversation?.id ?? conversationId;
      // The user may have moved to another address since they wrote.
      const recipient =
        conversation === undefined
          ? event.conversation.address.address
          : (conversation.recipient ?? conversation.externalUser);
      const isHeld = conversation?.mode === "human";
      const outcome = isHeld ? "human" : ending.outcome;
      const isParked = ending.outcome === "parked";
      const { run } = ending;
      const invocationId = run?.invocationId;
      await closeEvent(tx, tables, row, { outcome, conversationId: keptId, invocationId, isParked }, now);
      const replies = isHeld ? [] : texts.map((text) => ({ id: newId(), ...text }));
      const by = ending.outcome === "answered" ? run?.agent : "fallback";
      await noteEnd(tx, tables, newId, row, { outcome, run, replies, ...(by !== undefined && { by }) }, now);
      // A run that failed stored nothing of what it was told.
      if (run?.status === "ok" && ending.told !== undefined)
        await noteTold(
          tx,
          tables,
          row.tenantId,
          isHeld ? ending.told : [...ending.told, row.id, ...(event.joined ?? [])],
        );
      if (isHeld) return outcome;
      const key = { tenantId: row.tenantId, conversationId: keptId };
      if (ending.needs !== undefined)
        await callPerson(tx, tables, newId, key, { reason: ending.needs, at: now });
      const served = ending.serving && servedBy(ending.serving, now);
      if (served !== undefined && replies.length === 0)
        await servingUpdate(tx, tables).execute({ tenantId: row.tenantId, id: keptId, ...served });
      for (const [index, { id, ...text }] of replies.entries()) {
        const asksContact = ending.asksContact === true && index === replies.length - 1;
        const reply: NewMessage = {
          id,
          tenantId: row.tenantId,
          channel: row.channel,
          accountId: row.accountId,
          recipient,
          conversationId: keptId,
          source: "agent_reply",
          // A fallback text is of no run.
          invocationId: ending.outcome === "answered" ? invocationId : undefined,
          payload: { ...text, ...(asksContact && { asksContact }), trace: traceIdOf(row.id) },
          dueAt: new Date(now.getTime() + index * apartMs),
        };
        await enqueueMessage(tx, tables, reply, now);
        const touch = served && { touch: withServing, values: served };
        // A fallback text is of no run.
        const untoldBy = ending.outcome === "answered" ? null : "program";
        const answerer = ending.outcome === "answered" ? { agent: run?.agent } : undefined;
        await noteReply(tx, tables, reply, keptId, now, { touch, untoldBy, by: answerer });
        queued.push(id);
      }
      return outcome;
    },
    { isolation: "read committed" },
  );
  if (texts.length > 0) bell.ring();
  const closed = changeOf({ ...row, conversationId: keptId }, "closed");
  feed.publish(
    closed,
    ...queued.map((id) => ({
      ...closed,
      about: "outbound" as const,
      change: "queued" as const,
      message_id: id,
    })),
    ...(queued.length === 0 && ending.needs === undefined
      ? []
      : [{ ...closed, about: "conversation" as const, change: "message" as const }]),
  );
  return outcome;
}

/** An answer opens the session, hands the conversation on, or leaves the next message new. */
function servedBy({ agent, opens, handoffAgent }: NonNullable<Ending["serving"]>, now: Date) {
  return opens
    ? { agentName: handoffAgent ?? agent, openedAt: now, handoffAgent: handoffAgent ?? null }
    : { agentName: null, openedAt: null, handoffAgent: null };
}

const servingOf = ({ agentName, openedAt, handoffAgent }: GatewayTables["conversations"]) => ({
  agentName: sql`${boundValue(agentName, "agentName")}`,
  openedAt: sql`${boundValue(openedAt, "openedAt")}`,
  handoffAgent: sql`${boundValue(handoffAgent, "handoffAgent")}`,
});

const withServing = touching("note_answer", (table) => ({ ...servingOf(table), ...answering(table) }));

/** For an answer without a message. */
const servingUpdate = statement((tx: Query, { conversations }: GatewayTables) =>
  tx
    .update(conversations)
    .set(servingOf(conversations))
    .where(and(equalsBound(conversations.tenantId, "tenantId"), equalsBound(conversations.id, "id")))
    .returning({ id: conversations.id })
    .prepare("note_serving_agent"),
);
