/**
 * Measures what reports and searches of a desk cost as messages grow: medians in milliseconds, then those of the processor time.
 *
 *   node_modules/.bin/bun scripts/bench/desk.ts [messages, 1000000 unless given] [sqlite or postgres]
 */
import { getTableColumns, type SQL, sql, type Table } from "drizzle-orm";
import { listConversations } from "../../src/services/gateway/conversations/list-conversations.ts";
import { readReport } from "../../src/services/gateway/reports/read-report.ts";
import { reportRange } from "../../src/services/gateway/reports/report-range.ts";
import { tally } from "../../src/services/gateway/reports/tally.ts";
import { tables } from "../../src/services/gateway/tables.ts";
import { FakeClock } from "../../tests/support/fake-clock.ts";
import { postgresEngine, sqliteEngine } from "../../tests/support/storage-engines.ts";

const messages = Number(process.argv[2] ?? 1_000_000);
const engine = process.argv[3] === "postgres" ? postgresEngine : sqliteEngine;
const isPostgres = engine === postgresEngine;
const talks = Math.max(1, Math.floor(messages / 100));
const end = new Date("2026-03-31T00:00:00.000Z");
const spanMs = 30 * 24 * 60 * 60_000;
const clock = new FakeClock(end.toISOString());
await using storage = await engine.open({ service: "gateway", tables });
const { conversations, conversationMessages, messageAuthors, measured, messageWords } = storage.tables;

/** The number of a row, and times and texts made of it. */
const i = sql.raw("n.i");
const numbers = (count: number) =>
  isPostgres
    ? sql`generate_series(0, ${sql.raw(String(count - 1))}) as n(i)`
    : sql`(with recursive n(i) as (values (0) union all select i + 1 from n where i < ${sql.raw(String(count - 1))}) select i from n) as n`;
const text = (prefix: string, value: SQL = i) => sql`${sql.raw(`'${prefix}'`)} || cast(${value} as text)`;
const startMs = end.getTime() - spanMs;
const at = (count: number) => {
  const ms = sql`${sql.raw(String(startMs))} + cast(${i} as bigint) * ${sql.raw(String(Math.floor(spanMs / count)))}`;
  return isPostgres ? sql`to_timestamp((${ms}) / 1000.0)` : ms;
};
const modulo = (by: number) => sql`(${i} % ${sql.raw(String(by))})`;

async function fill(table: Table, count: number, values: Record<string, SQL>): Promise<void> {
  const row = Object.keys(getTableColumns(table)).map((name) => values[name] ?? sql`null`);
  await storage.transact((tx) =>
    tx.insert(table as never).select(sql`select ${sql.join(row, sql`, `)} from ${numbers(count)}` as never),
  );
}

const [tenantId, channel, empty] = [sql`'a'`, sql`'phone_messenger'`, sql`'[]'`];
await fill(conversations, talks, {
  id: text("c"),
  tenantId,
  channel,
  accountId: sql`'acc'`,
  externalUser: text("3460"),
  contactId: text("p"),
  sessionId: text("s"),
  agentName: sql`'support'`,
  contactName: text("José Núñez "),
  mode: sql`'bot'`,
  lastMessageAt: at(talks),
  createdAt: at(talks),
});
await fill(conversationMessages, messages, {
  id: text("m"),
  tenantId,
  conversationId: text("c", modulo(talks)),
  channel,
  direction: sql`case when ${modulo(2)} = 0 then 'inbound' else 'outbound' end`,
  kind: sql`'text'`,
  text: text("order number "),
  media: isPostgres ? sql`'[]'::jsonb` : empty,
  at: at(messages),
});
await fill(messageAuthors, Math.floor(messages / 10), {
  messageId: text("m", sql`${i} * 10 + 1`),
  tenantId,
  author: text("person ", modulo(12)),
  at: at(Math.floor(messages / 10)),
});
await fill(measured, Math.floor(messages / 10), {
  id: text("f"),
  tenantId,
  channel,
  measure: sql`'first_response'`,
  value: sql`${modulo(9973)} * 100`,
  person: text("person ", modulo(12)),
  agent: sql`''`,
  at: at(Math.floor(messages / 10)),
});
await fill(messageWords, talks * 20, {
  word: text("word", sql`(${i} / ${sql.raw(String(talks))}) * 1000 + ${modulo(50)}`),
  tenantId,
  conversationId: text("c", modulo(talks)),
  at: at(talks * 20),
});
console.log(`${messages} messages in ${talks} conversations on ${engine.dialect}`);

async function measure(name: string, turns: number, ask: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  const works: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const [from, worked] = [performance.now(), process.cpuUsage()];
    await ask();
    times.push(performance.now() - from);
    const { user, system } = process.cpuUsage(worked);
    works.push((user + system) / 1000);
  }
  const median = (of: number[]) => of.toSorted((a, b) => a - b)[Math.floor(turns / 2)]?.toFixed(1) ?? "";
  console.log(name.padEnd(50), median(times).padStart(8), median(works).padStart(8));
}

await clock.advance(2 * 60_000);
const range = (from: string, time_zone: string) =>
  reportRange({ from, to: "2026-03-30", time_zone }, clock.now());
const scope = { tenant: "a" };
await measure("adding up all messages, once", 1, () =>
  tally({ storage, clock }, new AbortController().signal),
);
await measure("report of 30 days", 9, () => readReport(storage, scope, range("2026-03-01", "Europe/Madrid")));
await measure("report of 7 days", 9, () => readReport(storage, scope, range("2026-03-24", "Asia/Kathmandu")));
const find = (q: string) => () =>
  listConversations(storage, { ...scope, q, person: null, now: clock.now(), limit: 50, offset: 0 });
await measure("search of a word", 9, find("word3007"));
await measure("search of a name without its accents", 9, find("jose nunez 77"));
await measure("search of nothing that there is", 9, find("zzz"));
