import { and, eq } from "drizzle-orm";
import { toAppError } from "../../../kit/app-error.ts";
import { sleep } from "../../../kit/clock.ts";
import type { PlatformDeps } from "../deps.ts";
import { runtimeNameOf } from "../runs/registrations.ts";

/** Maximum time that a caller who deletes agents waits for the runtime. */
const waitMs = 5_000;

/** A deleted agent that the runtime may still have, or whose memory it may still store. */
export interface RetiredAgent {
  tenantId: string;
  id: string;
  name: string;
}

type ForgetDeps = Pick<PlatformDeps, "storage" | "runtime" | "clock" | "log">;

/**
 * Makes the runtime delete agents and their memory, one after the other, and records each success. Stops at the first failure, because the
 * agents can't run in any case and the sweep retries them. Returns the number of successes.
 */
export async function forgetAgents(deps: ForgetDeps, agents: readonly RetiredAgent[]): Promise<number> {
  let done = 0;
  try {
    for (const agent of agents) {
      await deps.runtime.deregister(runtimeNameOf(agent.tenantId, agent.name), agent.id);
      await noteForgotten(deps, agent);
      done++;
    }
  } catch (thrown) {
    deps.log.warn("agent.forget_failed", { code: toAppError(thrown).code });
  }
  return done;
}

/** Like `forgetAgents`, but returns after 5 s at the latest; the work then continues in the background. */
export async function forgetSoon(deps: ForgetDeps, agents: readonly RetiredAgent[]): Promise<void> {
  const over = new AbortController();
  const forgetting = forgetAgents(deps, agents).finally(() => over.abort());
  await Promise.race([forgetting, sleep(deps.clock, waitMs, over.signal).catch(() => undefined)]);
}

async function noteForgotten({ storage, clock }: ForgetDeps, { tenantId, id }: RetiredAgent): Promise<void> {
  const { agents } = storage.tables;
  await storage.transact(
    (tx) =>
      tx
        .update(agents)
        .set({ forgottenAt: clock.now() })
        .where(and(eq(agents.tenantId, tenantId), eq(agents.id, id))),
    { isolation: "read committed" },
  );
}
