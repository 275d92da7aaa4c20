import { QueryClient } from "@tanstack/react-query";
import { consoleApiPrefix } from "../../contracts/console/wire.ts";
import { type DaemonClient, daemonClient } from "../../contracts/daemon/client.ts";
import { type PlatformClient, platformClient } from "../../contracts/platform/clients/client.ts";
import { keyStore } from "../session/key-store.ts";
import { type SessionCalls, sessionCalls } from "../session/session-calls.ts";
import { type ConnectionMonitor, createConnectionMonitor } from "./connection.ts";
import { createConsoleFetch, Unreachable } from "./console-fetch.ts";

/** The server's APIs for this page, with the connection and the query cache. */
export interface Server {
  session: SessionCalls;
  daemon: DaemonClient;
  /** The platform as the signed-in person; with `tenantId` for one tenant's resources. */
  platform(tenantId?: string): PlatformClient;
  connection: ConnectionMonitor;
  queries: QueryClient;
  /** Calls the listener when a call finds that the session has ended. Returns a function that removes it. */
  whenSessionEnds(listener: () => void): () => void;
}

export function createServer(): Server {
  const endings = new Set<() => void>();
  const connection = createConnectionMonitor({
    ask: async () => {
      try {
        return (await fetch("/healthz", { cache: "no-store" })).ok;
      } catch {
        return false;
      }
    },
    regained: () => void queries.invalidateQueries(),
    wait: (ms, then) => void setTimeout(then, ms),
    isVisible: () => document.visibilityState === "visible",
  });
  const fetchAsSession = createConsoleFetch({
    readKey: keyStore.read,
    lost: connection.lost,
    sessionEnded() {
      for (const listener of endings) listener();
    },
  });
  const queries = createQueries();
  const baseUrlOf = (service: string) => `${location.origin}${consoleApiPrefix}/${service}`;
  const platforms = new Map<string, PlatformClient>();
  return {
    session: sessionCalls(fetchAsSession),
    daemon: daemonClient({ fetch: fetchAsSession, baseUrl: baseUrlOf("daemon") }),
    platform(tenantId = "") {
      const known = platforms.get(tenantId);
      if (known !== undefined) return known;
      const credential = tenantId === "" ? {} : { tenantId };
      const client = platformClient({ fetch: fetchAsSession, baseUrl: baseUrlOf("platform"), ...credential });
      platforms.set(tenantId, client);
      return client;
    },
    connection,
    queries,
    whenSessionEnds(listener) {
      endings.add(listener);
      return () => endings.delete(listener);
    },
  };
}

/** Queries never refetch by a timer: an idle page costs the server nothing. */
function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        networkMode: "always",
        refetchOnWindowFocus: true,
        // The connection polls by itself, and refetches everything once it is back.
        retry: (count, thrown) => count < 1 && !(thrown instanceof Unreachable) && isServerFault(thrown),
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}

function isServerFault(thrown: unknown): boolean {
  const status = (thrown as { status?: unknown } | null)?.status;
  return typeof status === "number" && status >= 500;
}
