import { and, eq, inArray, sql } from "drizzle-orm";
import {
  type DailyUsage,
  type DayUsage,
  listedPerDayMax,
} from "../../../contracts/platform/observability.ts";
import { batches } from "../../../kit/batches.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { firstOf } from "../../../kit/ranking.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { total } from "./sum-invocations.ts";

/** Returns a tenant's usage for each day of a month, with the agents and models used most. Days without runs are omitted. */
export async function readDailyUsage(
  { storage: { read, tables } }: StoreDeps,
  { tenantId }: TenantActor,
  period: string,
): Promise<DailyUsage> {
  const days = new Map<number, DaySum>();
  const dayOf = (day: number) => {
    const sum = days.get(day) ?? { total: { ...none }, agents: [], models: [] };
    days.set(day, sum);
    return sum;
  };
  for (const { day, agentId, ...sums } of await agentDays(read, tables, tenantId, period)) {
    const { total, agents } = dayOf(day);
    agents.push({ agent_id: agentId, name: "", ...sums });
    for (const name of Object.keys(total) as (keyof Sums)[]) total[name] += sums[name];
  }
  for (const { day, ...model } of await modelDays(read, tables, tenantId, period))
    dayOf(day).models.push(model);
  const report: DayUsage[] = [];
  for (const [day, { total, agents, models }] of [...days].sort(([one], [other]) => one - other)) {
    report.push({
      day: new Date(day * dayMs).toISOString().slice(0, 10),
      ...total,
      agents: firstOf(agents, listedPerDayMax, byCredits),
      models: firstOf(models, listedPerDayMax, byTokens),
    });
    await othersTurn();
  }
  await nameAgents(read, tables, tenantId, report);
  return { period, days: report };
}

const dayMs = 86_400_000;

async function agentDays(
  read: ReadQuery,
  { invocationDays: sums }: PlatformTables,
  tenantId: string,
  period: string,
) {
  return read
    .select({
      day: sums.day,
      agentId: sums.agentId,
      invocations: total(sums.invocations),
      tokens_in: total(sums.tokensIn),
      tokens_out: total(sums.tokensOut),
      credits_charged_micros: total(sums.chargedMicros),
    })
    .from(sums)
    .where(and(eq(sums.tenantId, tenantId), eq(sums.month, period)))
    .groupBy(sums.day, sums.agentId)
    .having(sql`sum(${sums.rows}) > 0`);
}

async function modelDays(
  read: ReadQuery,
  { invocationModelDays: sums }: PlatformTables,
  tenantId: string,
  period: string,
) {
  return read
    .select({
      day: sums.day,
      provider: sums.provider,
      model: sums.model,
      tokens_in: total(sums.tokensIn),
      tokens_out: total(sums.tokensOut),
    })
    .from(sums)
    .where(and(eq(sums.tenantId, tenantId), eq(sums.month, period)))
    .groupBy(sums.day, sums.provider, sums.model)
    .having(sql`sum(${sums.uses}) > 0`);
}

/** Names the agents that are listed, as they are called now. */
async function nameAgents(
  read: ReadQuery,
  { agents }: PlatformTables,
  tenantId: string,
  report: readonly DayUsage[],
): Promise<void> {
  const listed = report.flatMap((day) => day.agents);
  const names = new Map<string, string>();
  for (const ids of batches([...new Set(listed.map(({ agent_id }) => agent_id))], namesTogether))
    for (const { id, name } of await read
      .select({ id: agents.id, name: agents.name })
      .from(agents)
      .where(and(eq(agents.tenantId, tenantId), inArray(agents.id, ids))))
      names.set(id, name);
  for (const agent of listed) agent.name = names.get(agent.agent_id) ?? agent.agent_id;
}

const namesTogether = 500;

type Sums = Omit<DayUsage, "day" | "agents" | "models">;

const none: Sums = { invocations: 0, tokens_in: 0, tokens_out: 0, credits_charged_micros: 0 };

type AgentDay = DayUsage["agents"][number];
type ModelDay = DayUsage["models"][number];

const byCredits = (a: AgentDay, b: AgentDay) =>
  b.credits_charged_micros - a.credits_charged_micros ||
  b.invocations - a.invocations ||
  (a.agent_id < b.agent_id ? 1 : -1);

const byTokens = (a: ModelDay, b: ModelDay) =>
  b.tokens_in + b.tokens_out - a.tokens_in - a.tokens_out ||
  a.provider.localeCompare(b.provider) ||
  a.model.localeCompare(b.model);

interface DaySum {
  total: Sums;
  agents: AgentDay[];
  models: ModelDay[];
}
