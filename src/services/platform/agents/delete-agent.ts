import { and, eq, isNull } from "drizzle-orm";
import { toAppError } from "../../../kit/app-error.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { PlatformDeps } from "../deps.ts";
import { runtimeNameOf } from "../runs/registrations.ts";
import { getAgent } from "./save-agent.ts";

/** Retires an agent: its history stays readable by its id; what it remembered is forgotten. */
export async function deleteAgent(
  deps: PlatformDeps,
  { tenantId }: TenantActor,
  name: string,
): Promise<void> {
  const { storage, clock, runtime, log } = deps;
  const { agents } = storage.tables;
  await storage.transact(async (tx) => {
    const { id } = await getAgent(tx, storage.tables, tenantId, name);
    await tx
      .update(agents)
      .set({ deletedAt: clock.now() })
      .where(and(eq(agents.tenantId, tenantId), eq(agents.id, id), isNull(agents.deletedAt)));
  });
  // The agent is gone in any case; one that the runtime still knows can't be run, and is cleared away by the sweep.
  await runtime.deregister(runtimeNameOf(tenantId, name)).catch((thrown) => {
    log.warn("agent.deregister_failed", { code: toAppError(thrown).code });
  });
}
