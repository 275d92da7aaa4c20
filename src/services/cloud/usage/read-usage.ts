import { and, asc, eq, gte, inArray, sql } from "drizzle-orm";
import { type OrgUsageReport, rankedAgentsMax, rankedCostsMax } from "../../../contracts/cloud/usage.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { firstOf } from "../../../kit/ranking.ts";
import { dayMs, dayOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { OrgActor } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { readDailyLimit, remainingOf } from "../runs/daily-limit.ts";
import type { RunUsage } from "../runs/run-usage.ts";
import type { CloudTables } from "../tables.ts";

export interface UsageDeps extends AccessDeps {
  runUsage: Pick<RunUsage, "addLate" | "flush">;
}

/** Returns an org's runs, tokens and costs of the last days. */
export async function readUsage(
  deps: UsageDeps,
  actor: OrgActor,
  days: number,
  withDays: boolean,
): Promise<OrgUsageReport> {
  await deps.runUsage.addLate();
  await deps.runUsage.flush();
  const nowMs = deps.clock.now().getTime();
  const period = Array.from({ length: days }, (_, index) =>
    dayOf(new Date(nowMs - (days - 1 - index) * dayMs)),
  );
  const { read, tables } = deps.storage;
  const sums = new UsageSums();
  const first = period[0] ?? "";
  for await (const rows of tokenPages(read, tables, actor.org.id, first))
    for (const row of rows) sums.addTokens(row);
  for await (const rows of costPages(read, tables, actor.org.id, first))
    for (const row of rows) sums.addCosts(row);
  const today = await readDailyLimit(deps, actor);
  return {
    period_days: days,
    total_requests: sums.total.requests,
    total_tokens: sums.total.tokens,
    daily_limit: today.limit,
    remaining_today: remainingOf(today),
    cost_micros: sums.total.cost_micros,
    unpriced_tokens: sums.total.unpriced_tokens,
    by_agent: firstOf(sums.agents(), rankedAgentsMax, byRequests),
    by_model: firstOf(sums.models(), rankedCostsMax, byCost),
    by_key: await withNames(read, tables, actor.org.id, firstOf(sums.callers(), rankedCostsMax, byCost)),
    // Days without runs, too.
    ...(withDays && {
      by_day: period.map((day) => ({ day, ...none, ...sums.byDay.get(day) })),
    }),
  };
}

interface Used {
  requests: number;
  tokens: number;
  cost_micros: number;
  unpriced_tokens: number;
}

type TokenRow = CloudTables["agentUsage"]["$inferSelect"];
type CostRow = CloudTables["usageCosts"]["$inferSelect"];
type KeyUsage = OrgUsageReport["by_key"][number];

const none: Used = { requests: 0, tokens: 0, cost_micros: 0, unpriced_tokens: 0 };

/** Adds up usage and costs. Tokens without a row of costs are from before costs were kept: their cost is unknown. */
class UsageSums {
  readonly total: Used = { ...none };
  readonly byDay = new Map<string, Used>();
  readonly #byAgent = new Map<string, Used>();
  readonly #byModel = new Map<string, Used>();
  readonly #byCaller = new Map<string, Used>();

  addTokens({ day, agent, requests, tokens }: TokenRow): void {
    for (const sum of this.#sumsOf(day, agent)) {
      sum.requests += requests;
      sum.tokens += tokens;
      sum.unpriced_tokens += tokens;
    }
  }

  addCosts(row: CostRow): void {
    const { day, agent, caller, provider, model, tokens } = row;
    for (const sum of this.#sumsOf(day, agent)) {
      sum.cost_micros += row.costMicros;
      sum.unpriced_tokens += row.unpricedTokens - (caller === "test" ? 0 : tokens);
    }
    const counted: [Used, number][] = [[usedBy(this.#byCaller, groupOf(caller)), row.requests]];
    if (model !== "") counted.push([usedBy(this.#byModel, JSON.stringify([provider, model])), row.uses]);
    for (const [sum, requests] of counted) {
      sum.requests += requests;
      sum.tokens += tokens;
      sum.cost_micros += row.costMicros;
      sum.unpriced_tokens += row.unpricedTokens;
    }
  }

  *agents(): Generator<OrgUsageReport["by_agent"][number]> {
    for (const [agent, used] of this.#byAgent) yield { agent, ...used };
  }

  *models(): Generator<OrgUsageReport["by_model"][number]> {
    for (const [key, used] of this.#byModel) {
      const [provider = "", model = ""] = JSON.parse(key) as string[];
      yield { provider, model, ...used };
    }
  }

  *callers(): Generator<KeyUsage> {
    for (const [group, used] of this.#byCaller) {
      const keyId = /^key:(.+)$/.exec(group)?.[1] ?? null;
      const caused_by = (keyId === null ? group : "key") as KeyUsage["caused_by"];
      yield { key_id: keyId, name: keyId === null ? (names[group] ?? group) : "", caused_by, ...used };
    }
  }

  #sumsOf = (day: string, agent: string): Used[] => [
    this.total,
    usedBy(this.#byAgent, agent),
    usedBy(this.byDay, day),
  ];
}

/** People and the machine's owner are one row. */
const groupOf = (caller: string): string =>
  caller === "machine" || caller.startsWith("user:") ? "person" : caller;

const names: Record<string, string> = {
  person: "No key",
  eval: "Evals",
  test: "Tests",
  late: "After runs",
};

/** Returns the sum of a name; creates it if needed. */
function usedBy(sums: Map<string, Used>, name: string): Used {
  const known = sums.get(name) ?? { ...none };
  sums.set(name, known);
  return known;
}

/** Rows that one query reads. An org can create and delete agents without end, and every one has a row a day. */
const rowsPerQuery = 1000;

/** Yields an org's usage since a day. Other work gets a turn after every query. */
async function* tokenPages(
  read: ReadQuery,
  { agentUsage }: CloudTables,
  org: string,
  first: string,
): AsyncGenerator<TokenRow[]> {
  const { agent, day, orgId } = agentUsage;
  for (let last = { day: first, agent: "" }; ; ) {
    const rows = await read
      .select()
      .from(agentUsage)
      .where(and(eq(orgId, org), sql`(${day}, ${agent}) > (${last.day}, ${last.agent})`))
      .orderBy(asc(day), asc(agent))
      .limit(rowsPerQuery);
    yield rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < rowsPerQuery) return;
    last = end;
    await othersTurn();
  }
}

async function* costPages(
  read: ReadQuery,
  { usageCosts }: CloudTables,
  org: string,
  first: string,
): AsyncGenerator<CostRow[]> {
  const { orgId, day, agent, caller, provider, model } = usageCosts;
  const order = [day, agent, caller, provider, model];
  for (let last: CostRow | undefined; ; ) {
    const after =
      last &&
      sql`(${sql.join(order, sql`, `)}) > (${last.day}, ${last.agent}, ${last.caller}, ${last.provider}, ${last.model})`;
    const rows = await read
      .select()
      .from(usageCosts)
      .where(and(eq(orgId, org), gte(day, first), after))
      .orderBy(...order.map((column) => asc(column)))
      .limit(rowsPerQuery);
    yield rows;
    last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerQuery) return;
    await othersTurn();
  }
}

async function withNames(
  read: ReadQuery,
  { apiKeys }: CloudTables,
  org: string,
  rows: KeyUsage[],
): Promise<KeyUsage[]> {
  const ids = rows.flatMap(({ key_id }) => key_id ?? []);
  const { id, name, orgId } = apiKeys;
  const found = await read
    .select({ id, name })
    .from(apiKeys)
    .where(and(eq(orgId, org), inArray(id, ids)));
  const known = new Map(found.map((key) => [key.id, key.name]));
  return rows.map((row) => ({
    ...row,
    name: row.key_id === null ? row.name : (known.get(row.key_id) ?? "Deleted key"),
  }));
}

const byRequests = (one: OrgUsageReport["by_agent"][number], other: OrgUsageReport["by_agent"][number]) =>
  other.requests - one.requests || (one.agent < other.agent ? -1 : 1);

const byCost = (one: Used, other: Used) =>
  other.cost_micros - one.cost_micros ||
  other.tokens - one.tokens ||
  (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
