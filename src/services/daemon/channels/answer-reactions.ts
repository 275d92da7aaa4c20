import { and, desc, eq, isNotNull, isNull, lt, lte, or } from "drizzle-orm";
import type { DeliveredReaction } from "../../../channels/delivery.ts";
import { ratingOf } from "../../../channels/inbound/reaction-rating.ts";
import type { ChannelTables } from "../../../channels/inbox/old-schema.ts";
import type { ChannelKey } from "../../../channels/inbox/store.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Query, Storage } from "../../../storage/storage.ts";
import type { TraceArchive } from "../traces/trace-archive.ts";

export interface ReactionPorts {
  storage: Storage<ChannelTables>;
  key: ChannelKey;
  traces: Pick<TraceArchive, "judgeByUsers" | "unjudge">;
  clock: Clock;
  log: Logger;
}

/** `counted`; `unknown`: no agent wrote the message; `older`: a newer reaction to the message is known. */
export type ReactionOutcome = "counted" | "unknown" | "older";

/** Time for which reactions to an answer count. */
const rememberedMs = 90 * 24 * 60 * 60_000;
/** Old answers are deleted together with the first answer of each hour. */
const pruneEveryMs = 60 * 60_000;

/** Users' reactions to a channel's answers, as verdicts on the runs that wrote them. */
export class AnswerReactions {
  readonly #ports: ReactionPorts;
  #prunedMs = Number.NEGATIVE_INFINITY;

  constructor(ports: ReactionPorts) {
    this.#ports = ports;
  }

  /** Remembers which run wrote a sent message. Never rejects, because the message is sent in any case. */
  async noteAnswer(messageId: string, traceId: string): Promise<void> {
    const { storage, key, clock, log } = this.#ports;
    const { channelAnswers } = storage.tables;
    const prunes = clock.monotonicMs() - this.#prunedMs >= pruneEveryMs;
    if (prunes) this.#prunedMs = clock.monotonicMs();
    try {
      await storage.transact(async (tx) => {
        const sentAt = clock.now();
        await tx
          .insert(channelAnswers)
          .values({ ...key, messageId, traceId, sentAt })
          .onConflictDoNothing();
        if (prunes) await this.#prune(tx, new Date(sentAt.getTime() - rememberedMs));
      });
    } catch (err) {
      log.error("channel.answer_not_noted", { trace_id: traceId, err });
    }
  }

  /** Records a reaction, and judges the run by the newest one to any of its messages. */
  async record({ about, emoji, at }: DeliveredReaction): Promise<ReactionOutcome> {
    const { storage, traces, key, clock } = this.#ports;
    const now = clock.now();
    // A provider's clock may be ahead of ours.
    const reactedAt = at === undefined || at > now ? now : at;
    const noted = await storage.transact((tx) => this.#note(tx, about, emoji, reactedAt));
    if (typeof noted === "string") return noted;
    const { traceId, standing } = noted;
    if (standing === undefined) await traces.unjudge(key.tenant, traceId, "channel");
    else await traces.judgeByUsers(key.tenant, traceId, { ...standing, channel: key.channel });
    return "counted";
  }

  async #note(tx: Query, messageId: string, emoji: string | undefined, reactedAt: Date) {
    const { storage, key } = this.#ports;
    const { channelAnswers: answers } = storage.tables;
    const { tenant, channel, account } = key;
    const isIt = and(
      eq(answers.tenant, tenant),
      eq(answers.channel, channel),
      eq(answers.account, account),
      eq(answers.messageId, messageId),
    );
    const [known] = await tx.select({ traceId: answers.traceId }).from(answers).where(isIt);
    if (known === undefined) return "unknown";
    const { traceId } = known;
    const rating = emoji === undefined ? null : (ratingOf(emoji) ?? null);
    const changed = await tx
      .update(answers)
      .set({ emoji: emoji ?? null, rating, reactedAt })
      .where(and(isIt, or(isNull(answers.reactedAt), lte(answers.reactedAt, reactedAt))))
      .returning({ id: answers.messageId });
    if (changed.length === 0) return "older";
    const [newest] = await tx
      .select({ emoji: answers.emoji, rating: answers.rating, at: answers.reactedAt })
      .from(answers)
      .where(and(eq(answers.tenant, tenant), eq(answers.traceId, traceId), isNotNull(answers.rating)))
      .orderBy(desc(answers.reactedAt), desc(answers.messageId))
      .limit(1);
    if (!newest?.rating || newest.emoji === null || newest.at === null)
      return { traceId, standing: undefined };
    const standing = { rating: newest.rating, emoji: newest.emoji, at: newest.at.toISOString() };
    return { traceId, standing };
  }

  async #prune(tx: Query, before: Date): Promise<void> {
    const { channelAnswers: answers } = this.#ports.storage.tables;
    const { tenant, channel } = this.#ports.key;
    await tx
      .delete(answers)
      .where(and(eq(answers.tenant, tenant), eq(answers.channel, channel), lt(answers.sentAt, before)));
  }
}
