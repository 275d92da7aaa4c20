import { and, desc, eq, sql } from "drizzle-orm";
import type {
  AgentMetrics,
  InvocationDetail,
  ObservedAgent,
} from "../../../contracts/platform/observability.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { AgentRow } from "../agents/store.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { feedbackOf } from "../feedback/store.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { ConsumptionSum } from "./consumption.ts";
import { presentInvocationDetail } from "./present-invocation.ts";
import { invocationSums } from "./sum-invocations.ts";
import { modelSums } from "./sum-models.ts";

/** Returns one run of an agent. Throws 404 for a missing run and for another agent's. */
export async function getAgentInvocation(
  { storage: { read, tables } }: StoreDeps,
  { tenantId }: TenantActor,
  name: string,
  id: string,
): Promise<InvocationDetail> {
  const { invocations } = tables;
  const [row] = await read
    .select()
    .from(invocations)
    .where(and(eq(invocations.tenantId, tenantId), eq(invocations.id, id), eq(invocations.agentName, name)));
  if (row !== undefined) {
    const verdictsOf = await feedbackOf(read, tables, [row]);
    return { ...presentInvocationDetail(row), ...verdictsOf(row) };
  }
  await getObservedAgent(read, tables, tenantId, name);
  throw new AppError("not_found", "invocation_not_found", "The agent has no invocation with this id.");
}

/** Returns the usage of an agent's runs in a month and in total. */
export async function readAgentMetrics(
  { storage }: StoreDeps,
  { tenantId }: TenantActor,
  name: string,
  period: string,
): Promise<AgentMetrics> {
  const { read, tables } = storage;
  const agent = await getObservedAgent(read, tables, tenantId, name);
  const scope = { tenantIds: [tenantId], agentIds: [agent.id] };
  const [month, allTime] = [new ConsumptionSum(), new ConsumptionSum()];
  for (const sum of await invocationSums(read, tables, scope)) {
    allTime.add(sum);
    if (sum.month === period) month.add(sum);
  }
  for (const sum of await modelSums(read, tables, scope)) {
    allTime.addModel(sum);
    if (sum.month === period) month.addModel(sum);
  }
  return {
    agent: presentObserved(agent),
    period,
    month: month.consumption,
    all_time: allTime.consumption,
  };
}

/** Returns the tenant's live agent with that name, or else the one deleted last. Throws `agent_not_found`. */
export async function getObservedAgent(
  query: ReadQuery,
  { agents }: PlatformTables,
  tenantId: string,
  name: string,
): Promise<AgentRow> {
  const [row] = await query
    .select()
    .from(agents)
    .where(and(eq(agents.tenantId, tenantId), eq(agents.name, name)))
    .orderBy(desc(sql`${agents.deletedAt} is null`), desc(agents.deletedAt), desc(agents.id))
    .limit(1);
  if (row !== undefined) return row;
  throw new AppError("not_found", "agent_not_found", `There is no agent named ${name}.`);
}

export function presentObserved({ id, name, currentVersion, deletedAt }: AgentRow): ObservedAgent {
  return {
    id,
    name,
    status: deletedAt === null ? "active" : "deleted",
    current_version: currentVersion,
    deleted_at: deletedAt?.toISOString() ?? null,
  };
}
