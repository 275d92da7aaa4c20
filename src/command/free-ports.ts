import { services } from "../compose/services.ts";
import type { Config } from "../compose/settings/config.ts";
import { type ServiceName, serviceConfig } from "../compose/settings/service-settings.ts";

/** A service whose port another program has, and the next free port. */
export interface TakenPort {
  service: ServiceName;
  host: string;
  port: number;
  free: number;
}

/** Ports looked at after a taken one. */
const triesMax = 100;

/**
 * Returns the enabled services whose ports are taken. None among several nodes, which know each other by their ports, and none if there is
 * no free port near.
 */
export function takenPorts(config: Pick<Config, "services" | "mesh" | "peers">): TakenPort[] {
  if (config.mesh !== undefined || config.peers !== undefined) return [];
  const enabled = services.flatMap(({ name }) => {
    const { enabled, host, port } = serviceConfig(config.services, name);
    return enabled && port !== 0 ? [{ service: name, host, port }] : [];
  });
  const spoken = new Set(enabled.map(({ port }) => port));
  return enabled.flatMap((one) => {
    if (!isTaken(one.host, one.port)) return [];
    const candidates = Array.from({ length: triesMax }, (_, at) => one.port + 1 + at);
    const free = candidates.find((port) => port <= 65_535 && !spoken.has(port) && !isTaken(one.host, port));
    if (free === undefined) return [];
    spoken.add(free);
    return [{ ...one, free }];
  });
}

/** Returns the configuration with the free ports. */
export function withFreePorts(config: Config, taken: readonly TakenPort[]): Config {
  const changed = taken.map(({ service, free }) => [
    service,
    { ...serviceConfig(config.services, service), port: free },
  ]);
  return { ...config, services: { ...config.services, ...Object.fromEntries(changed) } };
}

/** Returns true if another program listens there. Any other fault is the start's to report. */
function isTaken(hostname: string, port: number): boolean {
  try {
    void Bun.serve({ hostname, port, reusePort: false, fetch: () => new Response() }).stop(true);
    return false;
  } catch (thrown) {
    return (thrown as { code?: unknown }).code === "EADDRINUSE";
  }
}
