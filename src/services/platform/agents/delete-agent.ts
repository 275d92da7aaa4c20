import { and, eq, isNull } from "drizzle-orm";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { AgentDeps } from "./deps.ts";
import { forgetAgents, waitBriefly } from "./forget-agents.ts";
import { getAgent } from "./save-agent.ts";

/** Retires an agent. Its history stays readable by its id, and its gate for the next of its name; its memory is deleted. */
export async function deleteAgent(
  deps: AgentDeps,
  { tenantId, author }: TenantActor,
  name: string,
): Promise<void> {
  const { storage, clock } = deps;
  const { agents } = storage.tables;
  const deleted = await storage.transact(async (tx) => {
    const { id, requires } = await getAgent(tx, storage.tables, tenantId, name);
    await tx
      .update(agents)
      .set({ deletedAt: clock.now() })
      .where(and(eq(agents.tenantId, tenantId), eq(agents.id, id), isNull(agents.deletedAt)));
    if (requires !== null) {
      const detail = { id, requires };
      const entry = { actor: author, action: "agent.delete", ownerId: tenantId, subject: name, detail };
      await writeAudit(deps, tx, clock.now(), entry);
    }
    return { tenantId, id, name };
  });
  await waitBriefly(clock, forgetAgents(deps, [deleted]));
}
