import { join } from "node:path";
import { FileRuns } from "../../../evals/files/file-runs.ts";
import { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import { KnownOwners } from "../../../kit/concurrency/known-owners.ts";
import { repeatedWorker } from "../../../kit/worker.ts";
import type { RuntimeFile } from "../../../manifest/files/runtime-file.ts";
import { AgentCatalog } from "../../../services/daemon/agents/agent-catalog.ts";
import { openPausedAgents, type PausedAgents } from "../../../services/daemon/agents/paused-agents.ts";
import { addRunFiles } from "../../../services/daemon/evals/add-run-files.ts";
import { createMemoryOwners, type MemoryOwners } from "../../../services/daemon/memory/memory-owners.ts";
import { operatorTenant } from "../../../services/daemon/operator-tenant.ts";
import { BackgroundPools } from "../../../services/daemon/runs/background-pools.ts";
import type { DaemonTables } from "../../../services/daemon/tables.ts";
import { BuiltAgents } from "../../../services/daemon/tenant-api/built-agents.ts";
import { RateWindows } from "../../../services/daemon/tools/rate-windows.ts";
import { createFireSources, type FireSources } from "../../../services/daemon/triggers/fire-sources.ts";
import { OwnerLife, ownerTtlMs } from "../../../storage/owner-life.ts";
import { openRedis } from "../../../storage/redis/open-redis.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Foundation } from "../../foundation.ts";
import { openOwnStorage, type StorageParts } from "../../service-storage.ts";
import { daemonSchema } from "../daemon-schema.ts";
import type { Stage } from "../stage.ts";

/** The daemon's storage, and what is running and served now. Later stages fill the catalogs of agents. */
export interface DaemonState extends Stage {
  storage: Storage<DaemonTables>;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortController;
  /** Limits the number of concurrent runs. */
  gate: AdmissionGate;
  /** Further limits runs that nobody waits for. */
  pools: BackgroundPools;
  paused: PausedAgents;
  /** The operator's agents. */
  catalog: AgentCatalog;
  /** The agents of tenants. */
  tenantAgents: BuiltAgents;
  /** The person or paying party behind each tenant. */
  tenantOwners: KnownOwners;
  memoryOwners: MemoryOwners;
  /** Windows of tools' rate limits; undefined if no other process has the database. */
  windows: RateWindows | undefined;
  /** Stores the fires of triggers that wait for documents or messages. */
  fireSources: FireSources;
  /** Runs of the workspace's evals. */
  evalRuns: FileRuns;
}

export async function openState(
  foundation: StorageParts & Pick<Foundation, "sealer" | "newId">,
): Promise<DaemonState> {
  const { config, folder, clock, newId, log, sealer } = foundation;
  const storage = await openOwnStorage(foundation, daemonSchema);
  const process = newId();
  const life = new OwnerLife(storage, process, clock);
  const evalRuns = new FileRuns({
    ...{ service: "daemon", storage, clock, sealer, process, life, ownerId: operatorTenant },
  });
  await addRunFiles(join(folder.path, "evals"), evalRuns, log);
  const paused = openPausedAgents(config.persistAgents ? join(folder.path, "paused-agents.json") : undefined);
  const catalog = new AgentCatalog(paused);
  const redis = config.redisUrl === undefined ? undefined : openRedis(config.redisUrl, clock);
  const windows =
    storage.dialect === "postgres" ? new RateWindows({ storage, redis, clock, newId, log }) : undefined;
  const tenantAgents = new BuiltAgents();
  return {
    storage,
    stopping: new AbortController(),
    gate: createGate(config.runtime),
    pools: createPools(config.runtime),
    paused,
    catalog,
    tenantAgents,
    tenantOwners: new KnownOwners(),
    memoryOwners: createMemoryOwners(catalog, tenantAgents),
    windows,
    fireSources: createFireSources({ tables: storage.tables, clock, newId }),
    evalRuns,
    // A SQLite database belongs to one process.
    workers:
      storage.dialect === "sqlite"
        ? []
        : [repeatedWorker("daemon-process", ownerTtlMs / 3, clock, () => life.renew())],
    async close() {
      redis?.close();
      await life.end().catch((err) => log.warn("daemon.owner_kept", { err }));
      await storage.close();
    },
  };
}

function createGate({ spec }: RuntimeFile): AdmissionGate {
  const { runs_in_flight: inFlightMax = 256, runs_waiting: waitingMax = 1024 } = spec.limits ?? {};
  return new AdmissionGate({ inFlightMax, waitingMax });
}

function createPools({ spec }: RuntimeFile): BackgroundPools {
  const { runs_in_flight: inFlight = 256, runs_waiting: waitingMax = 1024, eval_runs } = spec.limits ?? {};
  return new BackgroundPools({ evalRuns: eval_runs ?? Math.max(1, Math.floor(inFlight / 4)), waitingMax });
}
