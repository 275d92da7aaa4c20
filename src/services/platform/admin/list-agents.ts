import { and, desc, eq, lt } from "drizzle-orm";
import type { AdminAgentList, AgentHealth } from "../../../contracts/platform/admin.ts";
import { type PageRequest, pageOf, readIdCursor } from "../../../http/paging.ts";
import type { AgentRow } from "../agents/store.ts";
import type { StoreDeps } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";
import { type ConsumptionSum, sumOf } from "../usage/consumption.ts";
import { invocationSums } from "../usage/sum-invocations.ts";

/** Lists the agents of all tenants or of one, with the health of their runs in a month. Newest first, including deleted agents. */
export async function listAgentHealth(
  { storage: { read, tables } }: StoreDeps,
  { period, tenantId }: { period: string; tenantId: string | undefined },
  { limit, cursor }: PageRequest,
): Promise<AdminAgentList> {
  const { agents } = tables;
  const before = readIdCursor(cursor);
  const rows = await read
    .select()
    .from(agents)
    .where(
      and(
        tenantId === undefined ? undefined : eq(agents.tenantId, tenantId),
        before === undefined ? undefined : lt(agents.id, before),
      ),
    )
    .orderBy(desc(agents.id))
    .limit(limit + 1);
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  const sums = new Map<string, ConsumptionSum>();
  const tenantIds = [...new Set(page.map((agent) => agent.tenantId))];
  const agentIds = page.map(({ id }) => id);
  for (const sum of await invocationSums(read, tables, { tenantIds, agentIds, month: period }))
    sumOf(sums, sum.agentId).add(sum);
  const names = await tenantNames(
    read,
    tables,
    page.map((agent) => agent.tenantId),
  );
  const nameOf = (id: string) => names.get(id) ?? id;
  return {
    period,
    agents: page.map((agent) => healthOf(agent, nameOf(agent.tenantId), sumOf(sums, agent.id))),
    ...next,
  };
}

function healthOf(agent: AgentRow, tenantName: string, sum: ConsumptionSum): AgentHealth {
  const countOf = (status: string) => sum.byStatus.get(status) ?? 0;
  const ok = countOf("ok");
  const errors = countOf("error") + countOf("timeout") + countOf("interrupted");
  return {
    agent_id: agent.id,
    tenant_id: agent.tenantId,
    tenant_name: tenantName,
    name: agent.name,
    status: agent.deletedAt === null ? "active" : "deleted",
    current_version: agent.currentVersion,
    subscription_id: agent.subscriptionId,
    ok,
    errors,
    error_rate: errors + ok === 0 ? null : errors / (errors + ok),
    by_status: Object.fromEntries(sum.byStatus),
    last_invocation_at: sum.lastAt?.toISOString() ?? null,
    ...sum.sumsWithCosts,
  };
}
