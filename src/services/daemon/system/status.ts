import type { Health, SystemStatus } from "../../../contracts/daemon/system.ts";
import type { DaemonDeps } from "../deps.ts";

export function readHealth(deps: DaemonDeps): Health {
  return {
    status: "healthy",
    version: deps.version,
    uptime_seconds: uptimeSeconds(deps),
    agents_loaded: deps.catalog.loadedCount,
  };
}

export function readStatus(deps: DaemonDeps): SystemStatus {
  const providers = { healthy: 0, degraded: 0, unavailable: 0 };
  for (const { health } of deps.breakers.list()) providers[health]++;
  const isLimping =
    providers.unavailable + providers.degraded > 0 ||
    deps.catalog.failedCount > 0 ||
    deps.rag.pipelines.list().some(({ fault }) => fault !== undefined);
  return {
    version: deps.version,
    status: isLimping ? "degraded" : "healthy",
    mode: "standalone",
    pid: process.pid,
    uptime_seconds: uptimeSeconds(deps),
    agents_loaded: deps.catalog.loadedCount,
    providers,
  };
}

function uptimeSeconds({ clock, startedAt }: DaemonDeps): number {
  return Math.round((clock.now().getTime() - startedAt.getTime()) / 10) / 100;
}
