import { and, eq } from "drizzle-orm";
import type { DailyUsage, DayUsage } from "../../../contracts/platform/observability.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { StoreDeps } from "../tables.ts";
import { invocationWindows } from "./invocation-windows.ts";

/** Returns a tenant's usage for each day of a month, by agent and by model. Days without runs are omitted. */
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
      const sum = days.get(day) ?? { agents: new Map(), models: new Map() };
      days.set(day, sum);
      addRow(sum, row);
    }
  }
  return {
    period,
    days: [...days]
      .map(([day, { agents, models }]) => ({
        day,
        agents: [...agents.values()],
        models: [...models.values()],
      }))
      .sort((one, other) => (one.day < other.day ? -1 : 1)),
  };
}

interface DaySum {
  agents: Map<string, DayUsage["agents"][number]>;
  models: Map<string, DayUsage["models"][number]>;
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

function addRow({ agents, models }: DaySum, row: Row): void {
  const agent = agents.get(row.agentId);
  agents.set(row.agentId, {
    agent_id: row.agentId,
    name: row.agentName,
    invocations: (agent?.invocations ?? 0) + row.count,
    tokens_in: (agent?.tokens_in ?? 0) + row.tokensIn,
    tokens_out: (agent?.tokens_out ?? 0) + row.tokensOut,
    credits_charged_micros: (agent?.credits_charged_micros ?? 0) + row.chargedMicros,
  });
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
