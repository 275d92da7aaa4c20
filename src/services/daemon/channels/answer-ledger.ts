import { and, eq, inArray } from "drizzle-orm";
import type { OutboxLedger, Settlement } from "../../../channels/outbox/settle-messages.ts";
import type { Query } from "../../../storage/storage.ts";
import type { AnswerReactions } from "./answer-reactions.ts";
import { restOf } from "./channel-account.ts";
import type { ChannelMetrics } from "./channel-metrics.ts";
import type { ChannelAccount, ChannelTables } from "./schema.ts";

/**
 * Keeps the changes of answers: which run wrote a sent message, for reactions to it, and how long an account rests that its provider refuses.
 * The text of an answer is deleted once it is sent or has failed.
 */
export const createAnswerLedger = (
  tables: ChannelTables,
  account: ChannelAccount,
  reactions: Pick<AnswerReactions, "noteAnswer">,
  metrics: Pick<ChannelMetrics, "messages">,
): OutboxLedger => ({
  async settled(tx, settlements, now) {
    for (const { row, channelMessageId } of settlements) {
      if (channelMessageId === undefined || row.invocationId === null) continue;
      await reactions.noteAnswer(tx, channelMessageId, row.invocationId, now);
    }
    for (const settlement of settlements) await restAccount(tx, tables, account, settlement, now);
    const closed = settlements.filter(({ transition: { state } }) =>
      ["sent", "failed"].includes(state.status),
    );
    if (closed.length === 0) return;
    const { outbox } = tables;
    const ids = closed.map(({ row }) => row.id);
    await tx
      .update(outbox)
      .set({ payload: {} })
      .where(and(eq(outbox.tenantId, account.tenantId), inArray(outbox.id, ids)));
    for (const { transition } of closed) metrics.messages(`reply_${transition.state.status}`);
  },
  reported: async () => {},
  moved: async () => {},
});

async function restAccount(
  tx: Query,
  { accounts }: ChannelTables,
  { id, tenantId }: ChannelAccount,
  { row, transition }: Settlement,
  now: Date,
): Promise<void> {
  if (!transition.effects.some(({ type }) => type === "pause_account")) return;
  const waitedMs = row.waitingSince === null ? 0 : now.getTime() - row.waitingSince.getTime();
  await tx
    .update(accounts)
    .set({ quietUntil: new Date(now.getTime() + restOf(waitedMs)) })
    .where(and(eq(accounts.tenantId, tenantId), eq(accounts.id, id)));
}
