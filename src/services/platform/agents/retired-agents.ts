import { and, asc, eq, inArray, isNotNull, isNull } from "drizzle-orm";
import { toAppError } from "../../../kit/app-error.ts";
import { batches } from "../../../kit/batches.ts";
import { sleep } from "../../../kit/clock.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { PlatformStorage } from "../tables.ts";
import type { AgentDeps } from "./deps.ts";
import { forgetAgents } from "./forget-agents.ts";
import { runtimeNameOf } from "./registrations.ts";

const everyMs = 15 * 60_000;
const batchMax = 200;

type SweepDeps = Pick<AgentDeps, "storage" | "runtime" | "clock" | "log">;

/** Worker that makes the runtime delete agents that it could not delete at once. */
export function retiredAgents(deps: SweepDeps): Worker {
  return {
    name: "retired-agents",
    async run(signal) {
      while (!signal.aborted) {
        await sweepRetired(deps, signal);
        await sleep(deps.clock, everyMs, signal).catch(() => undefined);
      }
    },
  };
}

/** Sweeps agents not yet recorded as deleted, then agents that the runtime has in spite of that. Returns the number of agents. */
export async function sweepRetired(deps: SweepDeps, signal?: AbortSignal): Promise<number> {
  let swept = 0;
  for (let isMore = true; isMore && !signal?.aborted; ) {
    const due = await dueAgents(deps);
    const done = await forgetAgents(deps, due);
    swept += done;
    isMore = due.length === batchMax && done === batchMax;
  }
  return swept + (await sweepRegistered(deps, signal));
}

function dueAgents({ storage: { read, tables } }: SweepDeps) {
  const { agents } = tables;
  return read
    .select({ tenantId: agents.tenantId, id: agents.id, name: agents.name })
    .from(agents)
    .where(and(isNotNull(agents.deletedAt), isNull(agents.forgottenAt)))
    .orderBy(asc(agents.deletedAt), asc(agents.id))
    .limit(batchMax);
}

/**
 * Deregisters agents of our tenants that are registered in the runtime but not live here. This happens if a run registers an agent while it
 * is deleted. Other tenants are not touched, because other control planes may share the runtime.
 */
async function sweepRegistered(
  { storage, runtime, log }: SweepDeps,
  signal: AbortSignal | undefined,
): Promise<number> {
  let swept = 0;
  try {
    // Reads the runtime first. An agent registered in between is live and not on its list.
    const names = (await runtime.list()).agents.map(({ runtime_name }) => runtime_name);
    const tenants = [...Map.groupBy(names, tenantOf)].filter(([tenant]) => tenant !== "");
    for (const some of batches(tenants, batchMax)) {
      if (signal?.aborted) break;
      for (const name of await strayOf(storage, new Map(some))) {
        await runtime.deregister(name);
        swept++;
      }
    }
  } catch (thrown) {
    log.warn("agent.sweep_failed", { code: toAppError(thrown).code });
  }
  return swept;
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
