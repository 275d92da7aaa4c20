import { and, desc, eq, isNotNull, isNull, lte, or } from "drizzle-orm";
import type { ReactionEvent } from "../../../channels/inbound/inbound-event.ts";
import { ratingOf } from "../../../channels/inbound/reaction-rating.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Query } from "../../../storage/storage.ts";
import type { TraceArchive } from "../traces/trace-archive.ts";
import type { ChannelAccount, ChannelStorage } from "./schema.ts";

export interface ChannelReactionPorts {
  storage: ChannelStorage;
  account: ChannelAccount;
  traces: Pick<TraceArchive, "judgeByUsers" | "unjudge">;
  clock: Clock;
}

/** `counted`; `unknown`: no agent wrote the message; `older`: a newer reaction to the message is known. */
export type ReactionOutcome = "counted" | "unknown" | "older";

/** Users' reactions to a channel's answers, as verdicts on the runs that wrote them. */
export class AnswerReactions {
  readonly #ports: ChannelReactionPorts;

  constructor(ports: ChannelReactionPorts) {
    this.#ports = ports;
  }

  /** Remembers which run wrote a sent message, within the transaction that notes that it was sent. */
  async noteAnswer(tx: Query, messageId: string, traceId: string, sentAt: Date): Promise<void> {
    const { storage, account } = this.#ports;
    await tx
      .insert(storage.tables.channelAnswers)
      .values({ ...keyOf(account), messageId, traceId, sentAt })
      .onConflictDoNothing();
  }

  /** Records a reaction, and judges the run by the newest one to any of its messages. */
  async record({
    about,
    emoji,
    at,
  }: Pick<ReactionEvent, "about" | "emoji" | "at">): Promise<ReactionOutcome> {
    const { storage, traces, account, clock } = this.#ports;
    const { tenantId, channel } = account;
    const now = clock.now();
    // A provider's clock may be ahead of ours.
    const reactedAt = at === undefined || at > now ? now : at;
    const noted = await storage.transact((tx) => this.#note(tx, about, emoji, reactedAt));
    if (typeof noted === "string") return noted;
    const { traceId, standing } = noted;
    if (standing === undefined) await traces.unjudge(tenantId, traceId, "channel");
    else await traces.judgeByUsers(tenantId, traceId, { ...standing, channel });
    return "counted";
  }

  async #note(tx: Query, messageId: string, emoji: string | undefined, reactedAt: Date) {
    const { channelAnswers: answers } = this.#ports.storage.tables;
    const { tenant, channel, account } = keyOf(this.#ports.account);
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
}

const keyOf = ({ tenantId: tenant, channel, id: account }: ChannelAccount) => ({ tenant, channel, account });
