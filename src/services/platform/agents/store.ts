import { and, count, desc, eq, isNull, lt } from "drizzle-orm";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

export type AgentRow = PlatformTables["agents"]["$inferSelect"];
export type VersionRow = PlatformTables["agentVersions"]["$inferSelect"];

/** Returns the tenant's live agent with that name. */
export async function findAgent(
  query: ReadQuery,
  { agents }: PlatformTables,
  tenantId: string,
  name: string,
): Promise<AgentRow | undefined> {
  const [row] = await query
    .select()
    .from(agents)
    .where(and(eq(agents.tenantId, tenantId), eq(agents.name, name), isNull(agents.deletedAt)));
  return row;
}

/** Returns the tenant's agent with that id, even if it was deleted. */
export async function findAgentById(
  query: ReadQuery,
  { agents }: PlatformTables,
  tenantId: string,
  id: string,
): Promise<AgentRow | undefined> {
  const [row] = await query
    .select()
    .from(agents)
    .where(and(eq(agents.tenantId, tenantId), eq(agents.id, id)));
  return row;
}

/** The tenant's live agents before that id, newest first. Their specs may have 1 MiB each and are read one by one. */
export function listAgents(
  query: ReadQuery,
  { agents }: PlatformTables,
  tenantId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<AgentRow[]> {
  const isBefore = before === undefined ? undefined : lt(agents.id, before);
  return query
    .select()
    .from(agents)
    .where(and(eq(agents.tenantId, tenantId), isNull(agents.deletedAt), isBefore))
    .orderBy(desc(agents.id))
    .limit(limit);
}

/** Number of the tenant's live agents; with `subscriptionId`, only those of the subscription. */
export async function countAgents(
  query: ReadQuery,
  { agents }: PlatformTables,
  tenantId: string,
  subscriptionId?: string,
): Promise<number> {
  const [row] = await query
    .select({ live: count() })
    .from(agents)
    .where(
      and(
        eq(agents.tenantId, tenantId),
        isNull(agents.deletedAt),
        subscriptionId === undefined ? undefined : eq(agents.subscriptionId, subscriptionId),
      ),
    );
  return row?.live ?? 0;
}

/** Versions, newest first, without the specs. */
export function listVersions(
  query: ReadQuery,
  { agentVersions }: PlatformTables,
  { tenantId, id }: AgentRow,
): Promise<Omit<VersionRow, "spec" | "tenantId" | "agentId">[]> {
  const { number, checksum, author, note, createdAt } = agentVersions;
  return query
    .select({ number, checksum, author, note, createdAt })
    .from(agentVersions)
    .where(and(eq(agentVersions.tenantId, tenantId), eq(agentVersions.agentId, id)))
    .orderBy(desc(number));
}

export async function findVersion(
  query: ReadQuery,
  { agentVersions }: PlatformTables,
  { tenantId, id }: AgentRow,
  number: number,
): Promise<VersionRow | undefined> {
  const [row] = await query
    .select()
    .from(agentVersions)
    .where(
      and(
        eq(agentVersions.tenantId, tenantId),
        eq(agentVersions.agentId, id),
        eq(agentVersions.number, number),
      ),
    );
  return row;
}

/** Returns undefined if the tenant has a live agent with that name. */
export async function insertAgent(
  tx: Query,
  { agents }: PlatformTables,
  agent: Omit<AgentRow, "deletedAt" | "forgottenAt" | "currentVersion" | "updatedAt">,
): Promise<AgentRow | undefined> {
  const [row] = await tx
    .insert(agents)
    .values({ ...agent, currentVersion: 1, updatedAt: agent.createdAt, deletedAt: null, forgottenAt: null })
    .onConflictDoNothing()
    .returning();
  return row;
}
