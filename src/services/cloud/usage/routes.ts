import { Type } from "@sinclair/typebox";
import { and, eq, sql } from "drizzle-orm";
import { Elysia } from "elysia";
import { rankedAgentsMax, UsageReport } from "../../../contracts/cloud/usage.ts";
import { storageUse } from "../../../control-plane/room/storage-use.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { firstOf } from "../../../kit/ranking.ts";
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
  by_day: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`true` adds each day of the period.",
    }),
  ),
  storage: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`true` adds what the org stores.",
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
      async ({ actor, query }) => ({
        ...(await readUsage(deps, actor, Number(query.days ?? daysDefault), query.by_day === "true")),
        ...(query.storage === "true" && {
          storage: await storageUse(deps.storage, actor.org.id, actor.limits.max_storage_bytes ?? null),
        }),
      }),
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
  const nowMs = deps.clock.now().getTime();
  const period = Array.from({ length: days }, (_, index) =>
    dayOf(new Date(nowMs - (days - 1 - index) * dayMs)),
  );
  const { total, byAgent, byDay } = await sumUsage(deps, actor, period[0] ?? "");
  const today = await readDailyLimit(deps, actor);
  return {
    period_days: days,
    total_requests: total.requests,
    total_tokens: total.tokens,
    daily_limit: today.limit,
    remaining_today: remainingOf(today),
    by_agent: firstOf(named(byAgent), rankedAgentsMax, byRequests),
    // Days without runs, too.
    ...(withDays && {
      by_day: period.map((day) => ({ day, requests: 0, tokens: 0, ...byDay.get(day) })),
    }),
  };
}

interface Used {
  requests: number;
  tokens: number;
}

/** Rows that one query reads. An org can create and delete agents without end, and every one has a row a day. */
const rowsPerQuery = 1000;

/** Adds up an org's runs since a day. Other work gets a turn after every query. */
async function sumUsage(
  { storage: { read, tables } }: UsageDeps,
  { org }: OrgActor,
  first: string,
): Promise<{ total: Used; byAgent: Map<string, Used>; byDay: Map<string, Used> }> {
  const { agent, day, orgId, requests, tokens } = tables.agentUsage;
  const total: Used = { requests: 0, tokens: 0 };
  const [byAgent, byDay] = [new Map<string, Used>(), new Map<string, Used>()];
  let after = { day: first, agent: "" };
  for (;;) {
    const rows = await read
      .select({ day, agent, requests, tokens })
      .from(tables.agentUsage)
      .where(and(eq(orgId, org.id), sql`(${day}, ${agent}) > (${after.day}, ${after.agent})`))
      .orderBy(day, agent)
      .limit(rowsPerQuery);
    for (const row of rows) {
      for (const sum of [total, usedBy(byAgent, row.agent), usedBy(byDay, row.day)]) {
        sum.requests += row.requests;
        sum.tokens += row.tokens;
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerQuery) return { total, byAgent, byDay };
    after = last;
    await othersTurn();
  }
}

/** Returns the sum of a name; creates it if needed. */
function usedBy(sums: Map<string, Used>, name: string): Used {
  const known = sums.get(name) ?? { requests: 0, tokens: 0 };
  sums.set(name, known);
  return known;
}

type AgentUsage = UsageReport["by_agent"][number];

const byRequests = (one: AgentUsage, other: AgentUsage) =>
  other.requests - one.requests || (one.agent < other.agent ? -1 : 1);

function* named(sums: Map<string, Used>): Generator<AgentUsage> {
  for (const [agent, used] of sums) yield { agent, ...used };
}
