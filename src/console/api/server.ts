import type { QueryClient } from "@tanstack/react-query";
import type {
  CloudVendor,
  ConsoleState,
  SessionBegun,
  SessionRequest,
  VendorPage,
} from "../../contracts/console/session.ts";
import { consoleApiPrefix } from "../../contracts/console/wire.ts";
import { callService } from "../../contracts/service-call.ts";
import { type ConnectionMonitor, createConnectionMonitor } from "./connection.ts";
import { createConsoleFetch } from "./console-fetch.ts";
import { createExplainedFailures, type ExplainedFailures } from "./explained-failures.ts";
import { keyStore } from "./key-store.ts";
import { createQueries } from "./queries.ts";
import { type Progress, sendWithProgress } from "./send-with-progress.ts";

/** A service's base URL, and the function that sends requests to it. */
export interface PageAddress {
  fetch: (request: Request) => Promise<Response>;
  baseUrl: string;
}

/** The page's calls to its own server about the session. */
interface SessionCalls {
  read(): Promise<ConsoleState>;
  begin(request: SessionRequest): Promise<SessionBegun>;
  end(): Promise<void>;
  /** Begins a sign-in on a vendor's page. */
  startVendor(vendor: CloudVendor): Promise<VendorPage>;
}

/** The server's APIs for this page, with the connection and the query cache. */
export interface Server {
  session: SessionCalls;
  /** Returns the client of a service, which acts for the session of this page. `scope` names a client of its own, such as one per tenant. */
  client<Client>(service: string, create: (address: PageAddress) => Client, scope?: string): Client;
  /** Returns the address for an upload to a service, which says how much of the body is sent. */
  uploadAddress(service: string, progress: Progress): PageAddress;
  connection: ConnectionMonitor;
  queries: QueryClient;
  /** Calls the listener when a call finds that the session or a credential of it has ended. Returns a function that removes it. */
  whenRefused(listener: () => void): () => void;
  /** Failed reads that the page already explains. */
  explained: ExplainedFailures;
}

export function createServer(): Server {
  const refusals = new Set<() => void>();
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
  const parts = {
    readKey: keyStore.read,
    lost: connection.lost,
    refused() {
      for (const listener of refusals) listener();
    },
  };
  const fetchAsSession = createConsoleFetch(parts);
  const baseUrlOf = (service: string) => `${location.origin}${consoleApiPrefix}/${service}`;
  const queries = createQueries();
  const clients = new Map<string, unknown>();
  return {
    session: sessionCalls(fetchAsSession),
    client<Client>(service: string, create: (address: PageAddress) => Client, scope = ""): Client {
      const key = `${service} ${scope}`;
      if (!clients.has(key)) {
        clients.set(key, create({ fetch: fetchAsSession, baseUrl: baseUrlOf(service) }));
      }
      return clients.get(key) as Client;
    },
    uploadAddress: (service, progress) => ({
      fetch: createConsoleFetch({ ...parts, send: (request) => sendWithProgress(request, progress) }),
      baseUrl: baseUrlOf(service),
    }),
    connection,
    queries,
    whenRefused(listener) {
      refusals.add(listener);
      return () => refusals.delete(listener);
    },
    explained: createExplainedFailures(),
  };
}

function sessionCalls(fetch: PageAddress["fetch"]): SessionCalls {
  const address = { fetch, baseUrl: location.origin };
  return {
    read: async () => (await callService(address, "GET", "/console/session")).json(),
    begin: async (body) => (await callService(address, "POST", "/console/session", { body })).json(),
    startVendor: async (vendor) =>
      (await callService(address, "POST", "/console/cloud-sign-in", { body: { vendor } })).json(),
    async end() {
      await callService(address, "DELETE", "/console/session");
    },
  };
}
