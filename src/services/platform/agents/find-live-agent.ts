import { and, eq, isNull } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { ReadQuery, Storage } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

/** A tenant's agent with its current version. */
export interface LiveAgent {
  tenantId: string;
  id: string;
  name: string;
  version: number;
  subscriptionId: string | null;
  checksum: string;
  spec: Record<string, unknown>;
}

/** Returns undefined if the tenant has no live agent with that name. */
export async function findLiveAgent(
  { read, tables }: Storage<PlatformTables>,
  tenantId: string,
  name: string,
): Promise<LiveAgent | undefined> {
  const [row] = await liveAgent(read, tables).execute({ tenantId, name });
  return row;
}

/** Returns all live agents of a tenant. */
export const listLiveAgents = (
  { read, tables }: Storage<PlatformTables>,
  tenantId: string,
): Promise<LiveAgent[]> =>
  selectLive(read, tables).where(and(eq(tables.agents.tenantId, tenantId), isNull(tables.agents.deletedAt)));

const selectLive = (query: ReadQuery, { agents, agentVersions }: PlatformTables) =>
  query
    .select({
      tenantId: agents.tenantId,
      id: agents.id,
      name: agents.name,
      version: agentVersions.number,
      subscriptionId: agents.subscriptionId,
      checksum: agentVersions.checksum,
      spec: agentVersions.spec,
    })
    .from(agents)
    .innerJoin(
      agentVersions,
      and(
        eq(agentVersions.tenantId, agents.tenantId),
        eq(agentVersions.agentId, agents.id),
        eq(agentVersions.number, agents.currentVersion),
      ),
    );

const liveAgent = statement((query: ReadQuery, tables: PlatformTables) =>
  selectLive(query, tables)
    .where(
      and(
        equalsBound(tables.agents.tenantId, "tenantId"),
        equalsBound(tables.agents.name, "name"),
        isNull(tables.agents.deletedAt),
      ),
    )
    .prepare("platform_live_agent"),
);

/** Like `findLiveAgent`, but throws `agent_not_found`. */
export async function getLiveAgent(
  storage: Storage<PlatformTables>,
  tenantId: string,
  name: string,
): Promise<LiveAgent> {
  const agent = await findLiveAgent(storage, tenantId, name);
  if (agent !== undefined) return agent;
  throw new AppError("not_found", "agent_not_found", `There is no agent named ${name}.`);
}
