import { and, eq } from "drizzle-orm";
import { toAppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { AgentDeps } from "./deps.ts";
import { runtimeNameOf } from "./registrations.ts";

/** Maximum time that a caller who deletes agents waits for the runtime. */
const waitMs = 5_000;

/** A deleted agent that the runtime may still have, or whose memory it may still store. */
export interface RetiredAgent {
  tenantId: string;
  id: string;
  name: string;
}

type ForgetDeps = Pick<AgentDeps, "storage" | "runtime" | "clock" | "log">;

/**
 * Makes the runtime delete agents and their memory, one after the other, and records each success. Stops at the first failure, because the
 * agents can't run in any case and the sweep retries them. Returns the number of successes.
 */
export async function forgetAgents(deps: ForgetDeps, agents: readonly RetiredAgent[]): Promise<number> {
  let done = 0;
  try {
    for (const agent of agents) {
      await forgetAgent(deps, agent);
      done++;
    }
  } catch (thrown) {
    deps.log.warn("agent.forget_failed", { code: toAppError(thrown).code });
  }
  return done;
}

/** Makes the runtime delete an agent and its memory, and records that. */
export async function forgetAgent(deps: ForgetDeps, agent: RetiredAgent): Promise<void> {
  await deps.runtime.deregister(runtimeNameOf(agent.tenantId, agent.name), agent.id);
  await noteForgotten(deps, agent);
}

/** Waits for the runtime, for a caller who waits: the work goes on by itself when it takes long. */
export async function waitBriefly(clock: Clock, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const done = work.finally(() => over.abort());
  await Promise.race([done, sleep(clock, waitMs, over.signal).catch(() => undefined)]);
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
