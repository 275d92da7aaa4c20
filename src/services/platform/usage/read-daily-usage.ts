import { and, eq } from "drizzle-orm";
import {
  type DailyUsage,
  type DayUsage,
  listedPerDayMax,
} from "../../../contracts/platform/observability.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { firstOf } from "../../../kit/ranking.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { StoreDeps } from "../tables.ts";
import { invocationWindows } from "./invocation-windows.ts";

/** Returns a tenant's usage for each day of a month, with the agents and models used most. Days without runs are omitted. */
export async function readDailyUsage(
  { storage: { read, tables } }: StoreDeps,
  { tenantId }: TenantActor,
  period: string,
): Promise<DailyUsage> {
  const { invocations } = tables;
  const { admittedAt, agentId, agentName, count, tokensIn, tokensOut, chargedMicros, byModel } = invocations;
  const scope = and(eq(invocations.tenantId, tenantId), eq(invocations.month, period));
  const days = new Map<string, DaySum>();
  for await (const window of invocationWindows(read, tables, scope)) {
    const rows = await read
      .select({ admittedAt, agentId, agentName, count, tokensIn, tokensOut, chargedMicros, byModel })
      .from(invocations)
      .where(window);
    for (const row of rows) {
      const day = row.admittedAt.toISOString().slice(0, 10);
      const sum = days.get(day) ?? { total: { ...none }, agents: new Map(), models: new Map() };
      days.set(day, sum);
      addRow(sum, row);
    }
  }
  const report: DayUsage[] = [];
  for (const [day, { total, agents, models }] of days) {
    report.push({
      day,
      ...total,
      agents: firstOf(agents.values(), listedPerDayMax, byCredits),
      models: firstOf(models.values(), listedPerDayMax, byTokens),
    });
    await othersTurn();
  }
  return { period, days: report.sort((one, other) => (one.day < other.day ? -1 : 1)) };
}

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
  agents: Map<string, AgentDay>;
  models: Map<string, ModelDay>;
}

interface Row {
  agentId: string;
  agentName: string;
  count: number;
  tokensIn: number;
  tokensOut: number;
  chargedMicros: number;
  byModel: { provider: string; model: string; tokens_in: number; tokens_out: number }[];
}

function addRow({ total, agents, models }: DaySum, row: Row): void {
  const agent = agents.get(row.agentId) ?? { agent_id: row.agentId, name: row.agentName, ...none };
  agents.set(row.agentId, agent);
  agent.name = row.agentName;
  for (const sum of [total, agent]) {
    sum.invocations += row.count;
    sum.tokens_in += row.tokensIn;
    sum.tokens_out += row.tokensOut;
    sum.credits_charged_micros += row.chargedMicros;
  }
  for (const { provider, model, tokens_in, tokens_out } of row.byModel) {
    const key = JSON.stringify([provider, model]);
    const known = models.get(key);
    models.set(key, {
      provider,
      model,
      tokens_in: (known?.tokens_in ?? 0) + tokens_in,
      tokens_out: (known?.tokens_out ?? 0) + tokens_out,
    });
  }
}
