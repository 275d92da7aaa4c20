import { and, type SQL, sql } from "drizzle-orm";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { isPostgres } from "../../../storage/json-rows.ts";
import { boundValue, equalsBound, statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import { noteMeasure } from "../reports/measure.ts";
import type { GatewayTables } from "../tables.ts";

/*
 * A user begins a conversation: by their first message, by one after it was resolved, or by one after an answer and a day of silence. From
 * then on the time to the first answer is measured, and the time until somebody resolves it.
 */

type Conversations = GatewayTables["conversations"];
type Column = keyof Conversations["$inferSelect"];

/** The change that a message makes in its conversation. */
export interface ConversationTouch {
  touch: ReturnType<typeof touching>;
  values: Readonly<Record<string, unknown>>;
}

/** Who answers: a person, an agent, or, without a name, a program or a person who isn't named. */
export interface Answerer {
  person?: string | null | undefined;
  agent?: string | null | undefined;
}

/** Returns the statement that moves a conversation's time to that of a new message, and sets what `also` returns in the same row. */
export const touching = (name: string, also: (table: Conversations) => Partial<Record<Column, SQL>>) =>
  statement((tx: Query, { conversations }: GatewayTables) =>
    tx
      .update(conversations)
      .set({ lastMessageAt: laterThanLast(conversations), ...also(conversations) })
      .where(and(equalsBound(conversations.tenantId, "tenantId"), equalsBound(conversations.id, "id")))
      .returning({
        at: conversations.lastMessageAt,
        begunAt: conversations.begunAt,
        answeredAt: conversations.answeredAt,
      })
      .prepare(name),
  );

/** For a message that neither asks nor answers. */
export const justTouched: ConversationTouch = {
  touch: touching("note_last_message", () => ({})),
  values: {},
};

/** The first answer since the user began. */
export const answering = (table: Conversations): { answeredAt: SQL } => ({
  answeredAt: sql`case when ${table.begunAt} is not null and ${table.answeredAt} is null then ${laterThanLast(table)} else ${table.answeredAt} end`,
});

/** For an answer that changes nothing else. */
export const justAnswered: ConversationTouch = {
  touch: touching("note_first_answer", answering),
  values: {},
};

/** A message of the user, who may begin by it. */
export const asking = (table: Conversations): Record<"begunAt" | "answeredAt" | "csatAskedAt", SQL> => {
  const { begunAt, answeredAt, lastMessageAt } = table;
  const dayLater = isPostgres(table)
    ? sql`${lastMessageAt} + interval '1 day'`
    : sql`${lastMessageAt} + 86400000`;
  const begins = sql`${begunAt} is null or (${answeredAt} is not null and ${dayLater} < ${boundValue(lastMessageAt, "at")})`;
  return {
    begunAt: sql`case when ${begins} then ${laterThanLast(table)} else ${begunAt} end`,
    answeredAt: sql`case when ${begins} then null else ${answeredAt} end`,
    csatAskedAt: sql`null`,
  };
};

/** The time `at`, or a millisecond after the conversation's last message if that is later. */
function laterThanLast({ lastMessageAt }: Conversations): SQL {
  const at = boundValue(lastMessageAt, "at");
  return isPostgres(lastMessageAt.table)
    ? sql`greatest(${at}, ${lastMessageAt} + interval '1 millisecond')`
    : sql`max(${at}, ${lastMessageAt} + 1)`;
}

interface Touched {
  at: Date;
  begunAt: Date | null;
  answeredAt: Date | null;
}

/** Measures what a message began, or answered first. The time of a message is later than that of every one before. */
export async function measureTouch(
  tx: Query,
  tables: GatewayTables,
  message: { id: string; tenantId: string; channel: ChannelName; direction: "inbound" | "outbound" },
  { at, begunAt, answeredAt }: Touched,
  by: Answerer | undefined,
): Promise<void> {
  const { id, tenantId, channel, direction } = message;
  const isNow = (time: Date | null) => time?.getTime() === at.getTime();
  if (direction === "inbound" && isNow(begunAt))
    await noteMeasure(tx, tables, { id, tenantId, channel, measure: "begun", value: 0, at });
  if (direction === "outbound" && by !== undefined && begunAt !== null && isNow(answeredAt)) {
    const value = at.getTime() - begunAt.getTime();
    await noteMeasure(tx, tables, { id, tenantId, channel, measure: "first_response", value, ...by, at });
  }
}
