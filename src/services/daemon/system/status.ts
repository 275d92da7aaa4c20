import type { Health, SystemStatus } from "../../../contracts/daemon/system.ts";
import type { Breakers } from "../../../engine/models/breakers.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { ModelCatalog } from "../providers/model-catalog.ts";
import type { DaemonRag } from "../rag/daemon-rag.ts";
import type { DoctorCheckup, RetryParked } from "./doctor.ts";

export interface SystemDeps {
  version: string;
  startedAt: Date;
  clock: Clock;
  catalog: AgentCatalog;
  rag: DaemonRag;
  breakers: Breakers;
  modelCatalog: ModelCatalog;
  checkups: () => readonly DoctorCheckup[];
  retryParked: RetryParked;
  /** Undefined if the mesh is off. */
  mesh: object | undefined;
}

export function readHealth(deps: SystemDeps): Health {
  return {
    status: "healthy",
    version: deps.version,
    uptime_seconds: uptimeSeconds(deps),
    agents_loaded: deps.catalog.loadedCount,
  };
}

export function readStatus(deps: SystemDeps): SystemStatus {
  const providers = { healthy: 0, degraded: 0, unavailable: 0 };
  for (const { health } of deps.breakers.list()) providers[health]++;
  const isLimping =
    providers.unavailable + providers.degraded > 0 ||
    deps.catalog.failedCount > 0 ||
    deps.rag.pipelines.list().some(({ fault }) => fault !== undefined);
  return {
    version: deps.version,
    status: isLimping ? "degraded" : "healthy",
    mode: deps.mesh === undefined ? "standalone" : "mesh",
    pid: process.pid,
    uptime_seconds: uptimeSeconds(deps),
    agents_loaded: deps.catalog.loadedCount,
    providers,
  };
}

function uptimeSeconds({ clock, startedAt }: SystemDeps): number {
  return Math.round((clock.now().getTime() - startedAt.getTime()) / 10) / 100;
}
