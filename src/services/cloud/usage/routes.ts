import { Type } from "@sinclair/typebox";
import { and, desc, eq, gte, sql } from "drizzle-orm";
import { Elysia } from "elysia";
import { UsageReport } from "../../../contracts/cloud/usage.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { dayMs, dayOf } from "../../../kit/utc-calendar.ts";
import { type OrgActor, orgCredential } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { readDailyLimit, remainingOf } from "../runs/daily-limit.ts";
import type { RunTokens } from "../runs/run-tokens.ts";
import type { CloudTables } from "../tables.ts";

const daysDefault = 30;

const UsageQuery = Type.Object({
  days: Type.Optional(
    Type.String({
      pattern: "^0*([1-9]|[1-8][0-9]|90)$",
      maxLength: 10,
      description: "UTC days, today included: 1 to 90 (30).",
      fault: "must be a whole number from 1 to 90",
    }),
  ),
  by_day: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`true` adds each day of the period.",
    }),
  ),
});

export interface UsageDeps extends AccessDeps {
  runTokens: Pick<RunTokens, "addLate" | "flush">;
}

/** Routes for an org's usage. */
export const usageRoutes = (deps: UsageDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug/usage" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .get(
      "",
      async ({ actor, query }) =>
        readUsage(deps, actor, Number(query.days ?? daysDefault), query.by_day === "true"),
      {
        query: UsageQuery,
        response: UsageReport,
        detail: {
          tags: ["usage"],
          operationId: "readUsage",
          summary: "Runs and tokens of the last days, by agent",
        },
      },
    );

async function readUsage(
  deps: UsageDeps,
  actor: OrgActor,
  days: number,
  withDays: boolean,
): Promise<UsageReport> {
  await deps.runTokens.addLate();
  await deps.runTokens.flush();
  const { read, tables } = deps.storage;
  const { agentUsage } = tables;
  const first = dayOf(new Date(deps.clock.now().getTime() - (days - 1) * dayMs));
  const sums = sumsOf(agentUsage);
  const rows = await read
    .select({ agent: agentUsage.agent, ...sums })
    .from(agentUsage)
    .where(and(eq(agentUsage.orgId, actor.org.id), gte(agentUsage.day, first)))
    .groupBy(agentUsage.agent)
    .orderBy(desc(sums.requests), agentUsage.agent);
  const today = await readDailyLimit(deps, actor);
  return {
    period_days: days,
    total_requests: rows.reduce((sum, row) => sum + row.requests, 0),
    total_tokens: rows.reduce((sum, row) => sum + row.tokens, 0),
    daily_limit: today.limit,
    remaining_today: remainingOf(today),
    by_agent: rows,
    ...(withDays && { by_day: await usageByDay(deps, actor, days) }),
  };
}

/** Runs and tokens of every day, also of those without any. */
async function usageByDay(
  { storage: { read, tables }, clock }: UsageDeps,
  { org }: OrgActor,
  days: number,
): Promise<NonNullable<UsageReport["by_day"]>> {
  const { agentUsage } = tables;
  const nowMs = clock.now().getTime();
  const period = Array.from({ length: days }, (_, index) =>
    dayOf(new Date(nowMs - (days - 1 - index) * dayMs)),
  );
  const rows = await read
    .select({ day: agentUsage.day, ...sumsOf(agentUsage) })
    .from(agentUsage)
    .where(and(eq(agentUsage.orgId, org.id), gte(agentUsage.day, period[0] ?? "")))
    .groupBy(agentUsage.day);
  const used = new Map(rows.map((row) => [row.day, row]));
  return period.map((day) => used.get(day) ?? { day, requests: 0, tokens: 0 });
}

const sumsOf = ({ requests, tokens }: CloudTables["agentUsage"]) => ({
  requests: sql<number>`cast(sum(${requests}) as bigint)`.mapWith(Number),
  tokens: sql<number>`cast(sum(${tokens}) as bigint)`.mapWith(Number),
});
