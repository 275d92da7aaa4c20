import { and, eq, sql } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import { dayMs, dayOf } from "../../../kit/utc-calendar.ts";
import { statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { OrgActor } from "../access/credentials.ts";
import type { CloudStoreDeps, CloudTables } from "../tables.ts";
import type { AgentDay } from "./run-usage.ts";

/** State of an org's daily limit. */
export interface DailyLimit {
  limit: number;
  /** Runs admitted in this UTC day. */
  requests: number;
  /** Epoch seconds of the next UTC midnight. */
  resetAt: number;
}

/** An admitted run, to whose day its tokens are added when it ends. */
export interface DailyAdmission extends DailyLimit, AgentDay {}

/** Returns the state of the limit without counting. */
export async function readDailyLimit(
  { storage: { read, tables }, clock }: CloudStoreDeps,
  { org, limits }: OrgActor,
): Promise<DailyLimit> {
  const now = clock.now();
  const [row] = await today(read, tables).execute({ orgId: org.id, day: dayOf(now) });
  return { limit: limits.requests_per_day, requests: row?.requests ?? 0, resetAt: nextMidnight(now) };
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

/** `now` decides how long it is until the next day. */
export const limitReached = (limit: number, now: Date) =>
  new AppError(
    "rate_limited",
    "daily_limit_reached",
    limit === 0
      ? "The org's plan allows no runs: its requests_per_day is 0. Choose a larger plan."
      : `All ${limit} runs of this UTC day are used. Wait for the next day, or choose a larger plan.`,
    { details: { retryAfterSeconds: nextMidnight(now) - now.getTime() / 1000 } },
  );

/** Epoch seconds of the next UTC midnight. */
export const nextMidnight = (now: Date): number => ((Math.floor(now.getTime() / dayMs) + 1) * dayMs) / 1000;
