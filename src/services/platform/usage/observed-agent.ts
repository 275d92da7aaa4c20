import { and, desc, eq, sql } from "drizzle-orm";
import type { ObservedAgent } from "../../../contracts/platform/observability.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { AgentRow } from "../agents/store.ts";
import type { PlatformTables } from "../tables.ts";

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
