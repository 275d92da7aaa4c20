import { and, desc, eq, gte, inArray, lt, min, type SQL, sql } from "drizzle-orm";
import type { RunSource } from "../../../contracts/daemon/runs/run-sources.ts";
import type { UsageRecord } from "../../../engine/spending/usage-record.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import { preparedRows } from "../../../storage/prepared-rows.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { CostTables } from "./schema.ts";
import type { Tally } from "./tally.ts";

type Usage = Storage<CostTables>;
export type TallyRow = CostTables["usageTallies"]["$inferSelect"];
export type RecordRow = CostTables["usageRecords"]["$inferSelect"];

/** Filter of calls. */
export interface UsageScope {
  agent?: string | undefined;
  sources?: readonly RunSource[] | undefined;
}

const inScope = (
  { agent, source }: CostTables["usageTallies"] | CostTables["usageRecords"],
  scope: UsageScope,
): (SQL | undefined)[] => [
  scope.agent === undefined ? undefined : eq(agent, scope.agent),
  scope.sources && inArray(source, [...scope.sources]),
];

/** Value of `startsAt` for totals over all time. */
export const allTime = new Date(0);

/** Adds tallies to the stored ones and stores single records, in one transaction. No two tallies are of the same row. */
export function addUsage(
  storage: Usage,
  tallies: readonly TallyRow[],
  records: readonly RecordRow[],
): Promise<void> {
  return storage.transact(async (tx) => {
    await addTallies(tx, storage.tables, tallies);
    await insertRecords(tx, storage.tables, records);
  });
}

const tallyKey = ["tenant", "startsAt", "agent", "provider", "model", "source"] as const;
const tallySums = {
  costMicros: "cost_micros",
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  calls: "calls",
  unpricedCalls: "unpriced_calls",
  estimatedCalls: "estimated_calls",
  latencyMs: "latency_ms",
} as const satisfies Record<keyof Tally, string>;
const summed = Object.keys(tallySums) as (keyof Tally)[];

const addTallies = preparedRows(
  "add_tallies",
  [...tallyKey, ...summed],
  (tx, { usageTallies }: CostTables, rows) => {
    const sums = summed.map((name) => [
      name,
      sql`${usageTallies[name]} + excluded.${sql.identifier(tallySums[name])}`,
    ]);
    const target = tallyKey.map((name) => usageTallies[name]);
    return tx
      .insert(usageTallies)
      .values(rows)
      .onConflictDoUpdate({ target, set: Object.fromEntries(sums) });
  },
);

const insertRecords = preparedRows(
  "insert_usage_records",
  ["id", "tenant", "agent", "at", "source", "record"],
  (tx, { usageRecords }: CostTables, rows) => tx.insert(usageRecords).values(rows),
);

/** Usage of each model over all time, by one agent or by each agent, in the order of agents, providers and models. */
export function readTotals(
  { read, tables }: Usage,
  tenant: string,
  { agent, sources }: UsageScope = {},
): Promise<TallyRow[]> {
  const { usageTallies } = tables;
  return read
    .select()
    .from(usageTallies)
    .where(
      and(
        eq(usageTallies.tenant, tenant),
        eq(usageTallies.startsAt, allTime),
        ...inScope(usageTallies, { agent, sources }),
      ),
    )
    .orderBy(usageTallies.agent, usageTallies.provider, usageTallies.model, usageTallies.source);
}

type HourQuery = UsageScope & { since: Date };

/** Hourly tallies since an instant, oldest first, in parts of whole hours. */
export async function* readHours(
  storage: Usage,
  tenant: string,
  query: HourQuery,
): AsyncGenerator<TallyRow[], void> {
  const { read, tables } = storage;
  const { startsAt, agent, provider, model } = tables.usageTallies;
  for await (const isIn of partsOf(storage, tenant, query, 2000))
    yield await read.select().from(tables.usageTallies).where(isIn).orderBy(startsAt, agent, provider, model);
}

/** Sums of each model of each agent since an instant, in parts: the sums of one part after those of another. */
export async function* sumHours(
  storage: Usage,
  tenant: string,
  query: HourQuery,
): AsyncGenerator<TallyRow[], void> {
  const { read, tables } = storage;
  const { usageTallies } = tables;
  const { agent, provider, model, source } = usageTallies;
  const sums = Object.fromEntries(
    summed.map((name) => [name, sql<number>`sum(${usageTallies[name]})`.mapWith(Number)]),
  ) as Record<keyof Tally, SQL<number>>;
  for await (const isIn of partsOf(storage, tenant, query, 10_000)) {
    const rows = await read
      .select({ agent, provider, model, source, ...sums })
      .from(usageTallies)
      .where(isIn)
      .groupBy(agent, provider, model, source)
      .orderBy(agent, provider, model, source);
    yield rows.map((row) => ({ ...row, tenant, startsAt: allTime }));
  }
}

/** Yields conditions for parts of whole hours with about so many rows, which take about 10 ms; others get their turn in between. */
async function* partsOf(
  { read, tables: { usageTallies } }: Usage,
  tenant: string,
  { since, ...scope }: HourQuery,
  rows: number,
): AsyncGenerator<SQL | undefined, void> {
  const { startsAt } = usageTallies;
  for (let from = since > allTime ? since : new Date(1); ; ) {
    const isIn = and(eq(usageTallies.tenant, tenant), gte(startsAt, from));
    // Of all agents, so that the part is found in the key alone.
    const [edge] = await read
      .select({ startsAt })
      .from(usageTallies)
      .where(isIn)
      .orderBy(startsAt)
      .limit(1)
      .offset(rows);
    const end = edge && (edge.startsAt > from ? edge.startsAt : new Date(from.getTime() + 1));
    yield and(isIn, end && lt(startsAt, end), ...inScope(usageTallies, scope));
    if (end === undefined) return;
    from = end;
    await othersTurn();
  }
}

/** First hour with calls; undefined if there are none. */
export async function firstHour({ read, tables }: Usage, tenant: string): Promise<Date | undefined> {
  const { usageTallies } = tables;
  const [row] = await read
    .select({ first: min(usageTallies.startsAt) })
    .from(usageTallies)
    .where(and(eq(usageTallies.tenant, tenant), gte(usageTallies.startsAt, new Date(1))));
  return row?.first ?? undefined;
}

/** Latest calls, newest first. */
export async function readRecords(
  { read, tables }: Usage,
  tenant: string,
  { since, limit, ...scope }: UsageScope & { since?: Date; limit: number },
): Promise<UsageRecord[]> {
  const { usageRecords } = tables;
  const rows = await read
    .select()
    .from(usageRecords)
    .where(
      and(
        eq(usageRecords.tenant, tenant),
        ...inScope(usageRecords, scope),
        since === undefined ? undefined : gte(usageRecords.at, since),
      ),
    )
    .orderBy(desc(usageRecords.id))
    .limit(limit);
  return rows.map(({ record, at, source }) => ({ ...record, source, at }));
}

/** Deletes all but the latest `kept` records. */
export async function dropOldRecords(storage: Usage, kept: number): Promise<void> {
  const { usageRecords } = storage.tables;
  const [edge] = await storage.read
    .select({ id: usageRecords.id })
    .from(usageRecords)
    .orderBy(desc(usageRecords.id))
    .limit(1)
    .offset(kept - 1);
  if (edge === undefined) return;
  await deleteInPieces(storage, usageRecords, lt(usageRecords.id, edge.id));
}
