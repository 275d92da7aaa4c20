import type { RuntimeAddress, RuntimeClient } from "../contracts/runtime/client.ts";
import type { ServiceAddress } from "../contracts/service-call.ts";
import type { Peer } from "../http/call.ts";
import type { ServiceApp } from "../http/service-app.ts";
import { AppError } from "../kit/app-error.ts";
import { callInTransaction, localFetch } from "../kit/fetch/local-fetch.ts";
import { serviceFetch } from "../kit/fetch/service-fetch.ts";
import { insideTransaction } from "../storage/transaction-scope.ts";
import type { ServiceName } from "./settings/service-settings.ts";

/** A service of another process, as the settings name it. */
export interface RemotePeer {
  url: string;
  /** Headers of every call, such as a credential. */
  headers: Readonly<Record<string, string>>;
}

/** The other services, as one service calls them. Clients from `contracts` take the addresses. */
export interface Peers {
  /**
   * Returns the address of a service: `remote` if the settings name one, or else the one of this process. Undefined if there is neither,
   * or if the one of this process is not assembled yet.
   */
  find(name: ServiceName, remote?: RemotePeer): RuntimeAddress | undefined;
}

/** Address of a service of this process that is assembled later. Until then, calls are refused. */
export function latePeer(
  peers: Peers,
  name: ServiceName,
  headers: Readonly<Record<string, string>>,
): ServiceAddress {
  return {
    baseUrl: `http://${name}.localhost`,
    headers,
    async fetch(request) {
      const address = peers.find(name);
      if (address !== undefined) return address.fetch(request);
      throw new AppError("unavailable", "service_missing", `The ${name} does not run in this process.`);
    },
  };
}

/** The app that a service offers to the others of this process; the daemon also performs runs without requests. */
export interface LocalApp extends Pick<ServiceApp, "handle"> {
  run?: RuntimeClient["run"];
}

/** Creates the peers of a process. `appOf` returns the app that a service offers to the others. */
export function createPeers(appOf: (name: ServiceName) => LocalApp | undefined): Peers {
  return {
    find(name, remote) {
      if (remote !== undefined) return remoteAddress(remote);
      const app = appOf(name);
      return app && localAddress(app, "local", `http://${name}.localhost`);
    },
  };
}

/** Host name for connections that need none. */
const anyHost = "http://localhost";

/** Address of an app in this process. `peer` is the door by which calls come in. */
export function localAddress(app: LocalApp, peer: Peer, baseUrl = anyHost): RuntimeAddress {
  const handle = async (request: Request) => app.handle(request, { peer });
  const fetch = localFetch(handle, { refuseWhen: insideTransaction });
  const { run } = app;
  if (run === undefined) return { baseUrl, fetch };
  return {
    baseUrl,
    fetch,
    run(name, given) {
      if (insideTransaction()) throw callInTransaction();
      return run(name, given);
    },
  };
}

/** Address of the service behind a control socket. */
export const socketAddress = (unix: string): ServiceAddress => ({
  baseUrl: anyHost,
  fetch: (request) => fetch(request, { unix }),
});

/** Address of a service on the network. */
export const remoteAddress = ({ url, headers }: RemotePeer): ServiceAddress => ({
  baseUrl: url,
  headers,
  fetch: (request) => serviceFetch(request),
});
