import { and, eq, gt, lte, ne, type SQL, sql } from "drizzle-orm";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { isPostgres } from "../../../storage/json-rows.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";
import type { ReportTally } from "./schema.ts";

/** Rows to add up: after `since`, up to `until`. */
export interface TallyRange {
  since: Date;
  until: Date;
  tenant?: string | undefined;
  channel?: ChannelName | undefined;
}

const rows = sql<number>`count(*)`.mapWith(Number);

/** Selects the rows of `tallies` that messages are. */
export function messageSums(query: ReadQuery, tables: GatewayTables, range: TallyRange) {
  const { conversationMessages: messages, messageAuthors, outbox, conversations, tallies } = tables;
  const person = sql<string>`coalesce(${messageAuthors.author}, '')`;
  // The agent of the conversation wrote what was not answered by somebody else.
  const agent = sql<string>`case when ${outbox.source} = 'agent_reply' then coalesce(${conversations.agentName}, '') else '' end`;
  const quarter = quarterOf(messages.at).mapWith(tallies.quarter);
  return query
    .select({
      tenantId: messages.tenantId,
      tally: sql<ReportTally>`${messages.direction}`,
      person,
      agent,
      channel: messages.channel,
      quarter,
      count: rows,
      sum: sql<number>`0`.mapWith(Number),
    })
    .from(messages)
    .leftJoin(messageAuthors, eq(messageAuthors.messageId, messages.id))
    .leftJoin(outbox, eq(outbox.id, messages.id))
    .leftJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(
      and(
        gt(messages.at, range.since),
        lte(messages.at, range.until),
        ne(messages.kind, "reaction"),
        range.tenant === undefined ? undefined : eq(messages.tenantId, range.tenant),
        range.channel === undefined ? undefined : eq(messages.channel, range.channel),
      ),
    )
    .groupBy(messages.tenantId, messages.direction, person, agent, messages.channel, quarter);
}

/** The same for what was measured. */
export function measuredSums(query: ReadQuery, { measured, tallies }: GatewayTables, range: TallyRange) {
  // How many gave each score.
  const tally = sql<ReportTally>`case when ${measured.measure} = 'csat' then 'csat_' || ${measured.value} else ${measured.measure} end`;
  const quarter = quarterOf(measured.at).mapWith(tallies.quarter);
  return query
    .select({
      tenantId: measured.tenantId,
      tally,
      person: measured.person,
      agent: measured.agent,
      channel: measured.channel,
      quarter,
      count: rows,
      sum: sql<number>`sum(${measured.value})`.mapWith(Number),
    })
    .from(measured)
    .where(
      and(
        gt(measured.at, range.since),
        lte(measured.at, range.until),
        range.tenant === undefined ? undefined : eq(measured.tenantId, range.tenant),
        range.channel === undefined ? undefined : eq(measured.channel, range.channel),
      ),
    )
    .groupBy(measured.tenantId, tally, measured.person, measured.agent, measured.channel, quarter);
}

/** Start of the quarter of an hour. */
const quarterOf = (
  at: GatewayTables["measured"]["at"] | GatewayTables["conversationMessages"]["at"],
): SQL<Date> =>
  isPostgres(at.table)
    ? sql`to_timestamp(floor(extract(epoch from ${at}) / 900) * 900)`
    : sql`(${at} / 900000) * 900000`;
