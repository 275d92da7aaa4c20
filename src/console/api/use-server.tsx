import { createContext, type ReactNode, use, useSyncExternalStore } from "react";
import type { DaemonClient } from "../../contracts/daemon/client.ts";
import type { PlatformClient } from "../../contracts/platform/clients/client.ts";
import { Unreachable } from "./console-fetch.ts";
import type { Server } from "./server.ts";

const ServerContext = createContext<Server | undefined>(undefined);

export function ServerProvider({ server, children }: { server: Server; children: ReactNode }) {
  return <ServerContext value={server}>{children}</ServerContext>;
}

export function useServer(): Server {
  const server = use(ServerContext);
  if (server === undefined) throw new Error("There is no server here.");
  return server;
}

export const useDaemon = (): DaemonClient => useServer().daemon;

/** Returns the platform's client; with `tenantId` for one tenant's resources. */
export const usePlatform = (tenantId?: string): PlatformClient => useServer().platform(tenantId);

export function useConnectionLost(): boolean {
  const { connection } = useServer();
  return useSyncExternalStore(connection.subscribe, connection.isLost, connection.isLost);
}

/** Returns true if the banner about the unreachable server already explains this error. */
export function useIsInBanner(thrown: unknown): boolean {
  return useConnectionLost() && thrown instanceof Unreachable;
}
