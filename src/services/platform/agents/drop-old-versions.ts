import { and, desc, eq, inArray, ne, notExists, sql } from "drizzle-orm";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import type { AgentRow } from "./store.ts";

/** Number of versions kept besides the current one and those used by runs. */
const keptMax = 100;
/** Each new version exceeds the limit by at most one; more are left from before the limit existed. */
const droppedMax = 200;

/** Deletes an agent's oldest versions beyond the limit. A version used by a run is never deleted. */
export async function dropOldVersions(
  tx: Query,
  { agentVersions, invocations }: PlatformTables,
  { tenantId, id, currentVersion }: AgentRow,
): Promise<void> {
  const ofAgent = and(eq(agentVersions.tenantId, tenantId), eq(agentVersions.agentId, id));
  const run = tx
    .select({ one: sql`1` })
    .from(invocations)
    .where(
      and(
        eq(invocations.tenantId, tenantId),
        eq(invocations.agentId, id),
        eq(invocations.agentVersion, agentVersions.number),
      ),
    );
  const surplus = await tx
    .select({ number: agentVersions.number })
    .from(agentVersions)
    .where(and(ofAgent, ne(agentVersions.number, currentVersion), notExists(run)))
    .orderBy(desc(agentVersions.number))
    .limit(droppedMax)
    .offset(keptMax);
  if (surplus.length === 0) return;
  const numbers = surplus.map(({ number }) => number);
  await tx.delete(agentVersions).where(and(ofAgent, inArray(agentVersions.number, numbers)));
}
