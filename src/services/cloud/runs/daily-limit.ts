import { and, eq, lt, sql } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import { dayMs, dayOf } from "../../../kit/utc-calendar.ts";
import { statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { OrgActor } from "../access/credentials.ts";
import type { CloudTables, StoreDeps } from "../tables.ts";
import type { AgentDay } from "./run-tokens.ts";

/** State of an org's daily limit. */
export interface DailyLimit {
  limit: number;
  /** Runs admitted in this UTC day. */
  requests: number;
  /** Epoch seconds of the next UTC midnight. */
  resetAt: number;
}

/** An admitted run, to whose day its tokens are added when it ends. */
export interface Admitted extends DailyLimit, AgentDay {}

/**
 * Counts a run of the org's UTC day and admits it, or throws 429 `daily_limit_reached`. One statement checks and counts under the lock of the
 * counter's row, so concurrent runs are never more than the limit.
 */
export async function admitRun(
  { storage, clock }: StoreDeps,
  { org, limits }: OrgActor,
  agent: string,
): Promise<Admitted> {
  const { tables } = storage;
  const limit = limits.requests_per_day;
  const now = clock.now();
  const day = dayOf(now);
  const requests = await storage.transact(
    async (tx) => {
      const [counted] = limit < 1 ? [] : await counting(tx, tables).execute({ orgId: org.id, day, limit });
      if (counted !== undefined) await agentCounting(tx, tables).execute({ orgId: org.id, day, agent });
      return counted?.requests;
    },
    { isolation: "read committed" },
  );
  if (requests === undefined) throw limitReached(limit);
  return { orgId: org.id, day, agent, limit, requests, resetAt: resetAt(now) };
}

const counting = statement((tx: Query, { dailyCounters: counters }: CloudTables) =>
  tx
    .insert(counters)
    .values({ orgId: sql.placeholder("orgId"), day: sql.placeholder("day"), requests: 1 })
    .onConflictDoUpdate({
      target: [counters.orgId, counters.day],
      set: { requests: sql`${counters.requests} + 1` },
      setWhere: lt(counters.requests, sql.placeholder("limit")),
    })
    .returning({ requests: counters.requests })
    .prepare("cloud_count_run"),
);

const agentCounting = statement((tx: Query, { agentUsage }: CloudTables) =>
  tx
    .insert(agentUsage)
    .values({
      orgId: sql.placeholder("orgId"),
      day: sql.placeholder("day"),
      agent: sql.placeholder("agent"),
      requests: 1,
      tokens: 0,
    })
    .onConflictDoUpdate({
      target: [agentUsage.orgId, agentUsage.day, agentUsage.agent],
      set: { requests: sql`${agentUsage.requests} + 1` },
    })
    .returning({ requests: agentUsage.requests })
    .prepare("cloud_count_agent_run"),
);

/** Returns the state of the limit without counting. */
export async function readDailyLimit(
  { storage: { read, tables }, clock }: StoreDeps,
  { org, limits }: OrgActor,
): Promise<DailyLimit> {
  const now = clock.now();
  const [row] = await today(read, tables).execute({ orgId: org.id, day: dayOf(now) });
  return { limit: limits.requests_per_day, requests: row?.requests ?? 0, resetAt: resetAt(now) };
}

const today = statement((query: ReadQuery, { dailyCounters: counters }: CloudTables) =>
  query
    .select({ requests: counters.requests })
    .from(counters)
    .where(and(eq(counters.orgId, sql.placeholder("orgId")), eq(counters.day, sql.placeholder("day"))))
    .prepare("cloud_runs_today"),
);

export const remainingOf = ({ limit, requests }: DailyLimit): number => Math.max(0, limit - requests);

/** The headers by which every execution tells the limit. */
export const rateLimitHeaders = (state: DailyLimit): Record<string, string> => ({
  "x-ratelimit-limit": String(state.limit),
  "x-ratelimit-remaining": String(remainingOf(state)),
  "x-ratelimit-reset": String(state.resetAt),
});

export const limitReached = (limit: number) =>
  new AppError(
    "rate_limited",
    "daily_limit_reached",
    `All ${limit} runs of this UTC day are used. Wait for the next day, or choose a larger plan.`,
  );

const resetAt = (now: Date): number => ((Math.floor(now.getTime() / dayMs) + 1) * dayMs) / 1000;
