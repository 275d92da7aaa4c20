import { and, asc, eq, gt, inArray, isNotNull, isNull } from "drizzle-orm";
import { Attempts, type ReadDue, sweepDue } from "../../../control-plane/agents/sweep-agents.ts";
import { toAppError } from "../../../kit/app-error.ts";
import { batches } from "../../../kit/batches.ts";
import type { Worker } from "../../../kit/worker.ts";
import { aloneWorker } from "../../../storage/alone.ts";
import { sweepCounted } from "../../../storage/counted-work.ts";
import { isStorageAway } from "../../../storage/until-stored.ts";
import type { PlatformStorage } from "../tables.ts";
import type { AgentDeps } from "./deps.ts";
import { forgetAgent, type RetiredAgent } from "./forget-agents.ts";
import { runtimeNameOf } from "./registrations.ts";

const everyMs = 15 * 60_000;
const batchMax = 200;

interface SweepDeps extends Pick<AgentDeps, "storage" | "runtime" | "clock" | "log"> {
  /** Id of this process. */
  owner: string;
}

/** Worker that makes the runtime delete agents that it could not delete at once. */
export const retiredAgents = (deps: SweepDeps): Worker =>
  aloneWorker("retired-agents", everyMs, deps, (signal) => sweepRetired(deps, signal));

/** Sweeps agents not yet recorded as deleted, then agents that the runtime has in spite of that. Returns the number of agents. */
export async function sweepRetired(deps: SweepDeps, signal?: AbortSignal): Promise<number> {
  const { storage, runtime, log, owner } = deps;
  const attempts = new Attempts();
  const counted = { kind: "retired_agent", owner, log, signal } as const;
  await sweepDue(storage, dueAgents(deps), {
    ...counted,
    keyOf: ({ tenantId, id }) => `${tenantId}/${id}`,
    work: (agent) => attempts.one(() => forgetAgent(deps, agent)),
  });
  try {
    const strays = await strayAgents(deps);
    await sweepCounted(storage, strays, {
      ...counted,
      keyOf: (name) => name,
      work: (name) => attempts.one(() => runtime.deregister(name)),
    });
  } catch (thrown) {
    if (isStorageAway(thrown)) throw thrown;
    log.warn("agent.sweep_failed", { code: toAppError(thrown).code });
  }
  const { done, failed, code } = attempts;
  if (failed > 0) log.warn("agent.forget_failed", { agents: failed, code });
  return done;
}

/** Returns agents that the runtime has not deleted yet, in the order of their ids. */
const dueAgents =
  ({ storage: { read, tables } }: SweepDeps): ReadDue<RetiredAgent> =>
  (after, limit) => {
    const { agents } = tables;
    return read
      .select({ tenantId: agents.tenantId, id: agents.id, name: agents.name })
      .from(agents)
      .where(and(isNotNull(agents.deletedAt), isNull(agents.forgottenAt), gt(agents.id, after)))
      .orderBy(asc(agents.id))
      .limit(limit);
  };

/**
 * Returns agents of our tenants that are registered in the runtime but not live here. This happens if a run registers an agent while it
 * is deleted. Other tenants are not touched, because other control planes may share the runtime.
 */
async function strayAgents({ storage, runtime }: SweepDeps): Promise<string[]> {
  // Reads the runtime first. An agent registered in between is live and not on its list.
  const names = (await runtime.list()).agents.map(({ runtime_name }) => runtime_name);
  const tenants = [...Map.groupBy(names, tenantOf)].filter(([tenant]) => tenant !== "");
  const stray: string[] = [];
  for (const some of batches(tenants, batchMax)) stray.push(...(await strayOf(storage, new Map(some))));
  return stray;
}

/** Returns the names whose tenant is ours and whose agent is not live. */
async function strayOf(
  { read, tables: { agents, tenants } }: PlatformStorage,
  named: ReadonlyMap<string, string[]>,
): Promise<string[]> {
  const rows = await read
    .select({ tenantId: tenants.id, name: agents.name })
    .from(tenants)
    .leftJoin(agents, and(eq(agents.tenantId, tenants.id), isNull(agents.deletedAt)))
    .where(inArray(tenants.id, [...named.keys()]));
  const live = new Set(rows.map(({ tenantId, name }) => runtimeNameOf(tenantId, name ?? "")));
  const ours = new Set(rows.map(({ tenantId }) => tenantId));
  return [...ours].flatMap((tenant) => (named.get(tenant) ?? []).filter((name) => !live.has(name)));
}

/** Returns an empty string for a name in another form than ours. */
function tenantOf(runtimeName: string): string {
  return /^t_([0-9a-f-]{36})__/.exec(runtimeName)?.[1] ?? "";
}
