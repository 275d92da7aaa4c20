import { and, desc, eq, lt } from "drizzle-orm";
import type { TenantInvocations } from "../../../contracts/platform/observability.ts";
import { pageOf, readIdCursor } from "../../../http/paging.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { PlatformDeps } from "../deps.ts";
import type { PageQuery } from "./observe-agent.ts";
import { presentInvocation } from "./present-invocation.ts";

/** Lists the runs of all agents of a tenant, newest first, including those of deleted agents. */
export async function listTenantInvocations(
  { storage: { read, tables } }: PlatformDeps,
  { tenantId }: TenantActor,
  { limit, cursor }: PageQuery,
): Promise<TenantInvocations> {
  const { invocations } = tables;
  const before = readIdCursor(cursor);
  const rows = await read
    .select()
    .from(invocations)
    .where(
      and(eq(invocations.tenantId, tenantId), before === undefined ? undefined : lt(invocations.id, before)),
    )
    .orderBy(desc(invocations.id))
    .limit(limit + 1);
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  return {
    invocations: page.map((row) => ({
      ...presentInvocation(row),
      agent_id: row.agentId,
      agent_name: row.agentName,
    })),
    ...next,
  };
}
