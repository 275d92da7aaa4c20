import { and, desc, eq, inArray, ne, notExists, sql } from "drizzle-orm";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import type { AgentRow } from "./store.ts";

/** Versions of an agent that are kept beside the current one and those that runs name. */
const keptMax = 100;
/** Each new version makes at most one too many; more are left over from before there was a limit. */
const droppedMax = 200;

/** Deletes the oldest versions of an agent that are too many. A version that a run names is kept for ever. */
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
