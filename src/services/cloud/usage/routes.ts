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
});

export interface UsageDeps extends AccessDeps {
  runTokens: Pick<RunTokens, "addLate" | "flush">;
}

/** Routes for an org's usage. */
export const usageRoutes = (deps: UsageDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug/usage" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .get("", async ({ actor, query }) => readUsage(deps, actor, Number(query.days ?? daysDefault)), {
      query: UsageQuery,
      response: UsageReport,
      detail: {
        tags: ["usage"],
        operationId: "readUsage",
        summary: "Runs and tokens of the last days, by agent",
      },
    });

async function readUsage(deps: UsageDeps, actor: OrgActor, days: number): Promise<UsageReport> {
  await deps.runTokens.addLate();
  await deps.runTokens.flush();
  const { read, tables } = deps.storage;
  const { agentUsage } = tables;
  const first = dayOf(new Date(deps.clock.now().getTime() - (days - 1) * dayMs));
  const requests = sql<number>`cast(sum(${agentUsage.requests}) as bigint)`.mapWith(Number);
  const tokens = sql<number>`cast(sum(${agentUsage.tokens}) as bigint)`.mapWith(Number);
  const rows = await read
    .select({ agent: agentUsage.agent, requests, tokens })
    .from(agentUsage)
    .where(and(eq(agentUsage.orgId, actor.org.id), gte(agentUsage.day, first)))
    .groupBy(agentUsage.agent)
    .orderBy(desc(requests), agentUsage.agent);
  const daily = await read
    .select({ day: agentUsage.day, requests, tokens })
    .from(agentUsage)
    .where(and(eq(agentUsage.orgId, actor.org.id), gte(agentUsage.day, first)))
    .groupBy(agentUsage.day);
  const used = new Map(daily.map((row) => [row.day, row]));
  const today = await readDailyLimit(deps, actor);
  return {
    period_days: days,
    total_requests: rows.reduce((sum, row) => sum + row.requests, 0),
    total_tokens: rows.reduce((sum, row) => sum + row.tokens, 0),
    daily_limit: today.limit,
    remaining_today: remainingOf(today),
    by_agent: rows,
    by_day: Array.from({ length: days }, (_, index) => {
      const day = dayOf(new Date(deps.clock.now().getTime() - (days - 1 - index) * dayMs));
      return used.get(day) ?? { day, requests: 0, tokens: 0 };
    }),
  };
}
