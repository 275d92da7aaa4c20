import { and, asc, desc, eq, gt, inArray, sql } from "drizzle-orm";
import type { OrgAgentStatus } from "../../../contracts/cloud/agents.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import { type SealedKeys, sealedKeysOf } from "../providers/provider-keys.ts";
import type { CloudTables } from "../tables.ts";
import { missingAgent } from "./former-names.ts";

export type OrgAgentRow = CloudTables["agents"]["$inferSelect"];

/** Returns an org's agent. Throws 404 if there is none of this name. */
export async function getAgent(
  query: ReadQuery,
  tables: CloudTables,
  orgId: string,
  name: string,
): Promise<OrgAgentRow> {
  const [row] = await byName(query, tables).execute({ orgId, name });
  if (row !== undefined) return row;
  throw await missingAgent(query, tables, orgId, name);
}

const byName = statement((query: ReadQuery, { agents }: CloudTables) =>
  query
    .select()
    .from(agents)
    .where(and(equalsBound(agents.orgId, "orgId"), equalsBound(agents.name, "name")))
    .prepare("cloud_agent_by_name"),
);

/** An agent as its runs need it. Its spec may have 1 MiB, and only the runtime needs it, once. */
export interface RunnableRow
  extends Pick<OrgAgentRow, "id" | "orgId" | "name" | "status" | "config" | "checksum"> {
  /** The org's sealed keys by provider, read with the agent: a run needs both. */
  sealedKeys: SealedKeys;
}

/** Returns an org's agent for a run; undefined if there is none of this name. */
export async function findRunnable(
  query: ReadQuery,
  tables: CloudTables,
  orgId: string,
  name: string,
): Promise<RunnableRow | undefined> {
  const [row] = await runnableByName(query, tables).execute({ orgId, name });
  return row;
}

const runnableByName = statement((query: ReadQuery, { agents, providerKeys }: CloudTables) =>
  query
    .select(runnableColumns(agents, providerKeys))
    .from(agents)
    .where(and(equalsBound(agents.orgId, "orgId"), equalsBound(agents.name, "name")))
    .prepare("cloud_runnable_agent"),
);

/** Columns of a `RunnableRow`. */
export const runnableColumns = (
  agents: CloudTables["agents"],
  providerKeys: CloudTables["providerKeys"],
) => ({
  id: agents.id,
  orgId: agents.orgId,
  name: agents.name,
  status: agents.status,
  config: agents.config,
  checksum: agents.checksum,
  sealedKeys: sealedKeysOf(providerKeys, agents.orgId).as("sealed_keys"),
});

/** Names of an org's agents, newest first. Their configs and specs may have 1 MiB each and are read one by one. */
export const agentNames = (query: ReadQuery, { agents }: CloudTables, orgId: string) =>
  query
    .select({ name: agents.name })
    .from(agents)
    .where(eq(agents.orgId, orgId))
    .orderBy(desc(agents.createdAt), desc(agents.id));

/** An agent of an org without its spec; undefined if it was deleted meanwhile. */
export async function findListed(
  query: ReadQuery,
  { agents }: CloudTables,
  orgId: string,
  agentName: string,
): Promise<ListedAgent | undefined> {
  const { name, displayName, status, config, createdAt, draft } = agents;
  const [row] = await query
    .select({ name, displayName, status, config, createdAt, hasDraft: sql<boolean>`${draft} is not null` })
    .from(agents)
    .where(and(eq(agents.orgId, orgId), eq(name, agentName)));
  // SQLite has no booleans.
  return row && { ...row, hasDraft: Boolean(row.hasDraft) };
}

export type ListedAgent = Pick<OrgAgentRow, "name" | "displayName" | "status" | "config" | "createdAt"> & {
  hasDraft: boolean;
};

export const countAgents = (query: ReadQuery, { agents }: CloudTables, orgId: string): Promise<number> =>
  query.$count(agents, eq(agents.orgId, orgId));

/** Changes an agent if it still is in one of the states; returns undefined if it is not. */
export async function changeAgent(
  tx: Query,
  { agents }: CloudTables,
  { orgId, id, updatedAt }: Pick<OrgAgentRow, "orgId" | "id" | "updatedAt">,
  states: readonly OrgAgentStatus[],
  change: Partial<OrgAgentRow>,
): Promise<OrgAgentRow | undefined> {
  const [row] = await tx
    .update(agents)
    .set(change)
    .where(
      and(
        eq(agents.orgId, orgId),
        eq(agents.id, id),
        // Unchanged since it was read.
        eq(agents.updatedAt, updatedAt),
        inArray(agents.status, [...states]),
      ),
    )
    .returning();
  return row;
}

/** A deployed agent with its org's slug. */
export type DeployedAgent = Pick<OrgAgentRow, "id" | "orgId" | "name" | "spec" | "checksum"> & {
  slug: string;
};

/** The next deployed agents of all orgs, in order of their ids, for the registration at the start. */
export const deployedAfter = (
  query: ReadQuery,
  { agents, orgs }: CloudTables,
  afterId: string,
  limit: number,
): Promise<DeployedAgent[]> =>
  query
    .select({
      id: agents.id,
      orgId: agents.orgId,
      name: agents.name,
      spec: agents.spec,
      checksum: agents.checksum,
      slug: orgs.slug,
    })
    .from(agents)
    .innerJoin(orgs, eq(orgs.id, agents.orgId))
    .where(and(eq(agents.status, "deployed"), gt(agents.id, afterId)))
    .orderBy(asc(agents.id))
    .limit(limit);
