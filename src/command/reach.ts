import { existsSync } from "node:fs";
import { assembleArgosy } from "../compose/assemble.ts";
import { localAddress, socketAddress } from "../compose/peers.ts";
import type { Service } from "../compose/service.ts";
import { services } from "../compose/services.ts";
import type { Config } from "../compose/settings/config.ts";
import { type ServiceName, serviceConfig } from "../compose/settings/service-settings.ts";
import { whenFolderIsFree } from "../compose/when-folder-is-free.ts";
import { type DaemonClient, daemonClient } from "../contracts/daemon/client.ts";
import type { ServiceAddress } from "../contracts/service-call.ts";
import { AppError } from "../kit/app-error.ts";
import type { Logger } from "../kit/log.ts";
import { controlSocketPath, holderOf, inUse } from "../storage/files/data-folder.ts";

/** A service of this data folder, as a command calls it. */
export interface ReachedService {
  address: ServiceAddress;
  /** `server`: a running one answers; `store`: this process opened the data folder itself. */
  via: "server" | "store";
  close(): Promise<void>;
}

export interface Reached extends Omit<ReachedService, "address"> {
  client: DaemonClient;
}

interface ReachOptions {
  log: Logger;
  /** True to assemble the other enabled services too, if no server runs. */
  withOthers?: boolean;
  /** True for a command that runs agents: programs of the workspace are started at once. */
  runsAgents?: boolean;
  /** True to throw `no_server` instead of assembling a service in this process. */
  serverOnly?: boolean;
}

/** Maximum time for a command's own service to finish work behind an answer, such as a conversation's summary. */
const lastWorkMs = 15_000;

/** Returns the daemon of this data folder, running or assembled in this process. */
export async function reachDaemon(config: Config, options: ReachOptions): Promise<Reached> {
  const { address, ...reached } = await reachService(config, "daemon", options);
  return { client: daemonClient(address), ...reached };
}

/**
 * Returns a service of this data folder: that of the running server through its control socket, or one assembled in this process together
 * with the services that it needs.
 */
export async function reachService(
  config: Config,
  name: ServiceName,
  options: ReachOptions,
): Promise<ReachedService> {
  const { addresses, ...reached } = await reachServices(config, [name], options);
  const [address] = addresses as [ServiceAddress];
  return { address, ...reached };
}

/**
 * Like `reachService`, for several services of one process, in their order. Throws `service_missing` if a running server lacks one. Waits
 * for a server that is starting, and for another command that uses the folder.
 */
export const reachServices = (
  config: Config,
  names: readonly ServiceName[],
  options: ReachOptions,
): ReturnType<typeof reachNow> => whenFolderIsFree(() => reachNow(config, names, options));

async function reachNow(
  config: Config,
  names: readonly ServiceName[],
  { log, withOthers = false, runsAgents = false, serverOnly = false }: ReachOptions,
): Promise<Omit<ReachedService, "address"> & { addresses: ServiceAddress[] }> {
  const served = await findServers(config);
  if (served.length > 0) {
    const addresses = names.map((name) => {
      const address = served.find(({ service }) => service === name);
      if (address !== undefined) return socketAddress(address.socket);
      throw notServed(
        names,
        served.map(({ service }) => service),
      );
    });
    return { addresses, via: "server", close: async () => {} };
  }
  if (serverOnly) {
    if (holderOf(config.dataFolder) !== undefined) throw inUse(config.dataFolder);
    throw noServer();
  }
  const needed = names.flatMap((name) => describedAs(name).needs(config));
  const isWanted = (other: ServiceName) =>
    names.includes(other) ||
    needed.includes(other) ||
    (withOthers && serviceConfig(config.services, other).enabled);
  const only = services.map((service) => service.name).filter(isWanted);
  const assembled = await assembleArgosy(config, { log, only, startsPrograms: runsAgents });
  const addresses = names.map((name) => {
    const { app, control = app } = assembled.getService(name);
    return localAddress(control, "control");
  });
  assembled.startWorkers();
  return {
    addresses,
    via: "store",
    async close() {
      await assembled.retireIntake(lastWorkMs);
      await assembled.finish();
      await assembled.close(0);
    },
  };
}

/** Returns the control socket of a service of the server that runs on this data folder; undefined if none answers. */
export async function findServer(
  { dataFolder }: Pick<Config, "dataFolder">,
  name: ServiceName,
): Promise<string | undefined> {
  const socket = controlSocketPath(dataFolder, describedAs(name).controlSocket);
  return existsSync(socket) && (await answers(socket)) ? socket : undefined;
}

/** Returns the services that the server on this data folder serves, with their control sockets; none if no server runs. */
export async function findServers(
  config: Pick<Config, "dataFolder">,
): Promise<{ service: ServiceName; socket: string }[]> {
  const sockets = await Promise.all(services.map(({ name }) => findServer(config, name)));
  return services.flatMap(({ name }, at) => {
    const socket = sockets[at];
    return socket === undefined ? [] : [{ service: name, socket }];
  });
}

/** Returns the error of a command that needs a running server. */
export const noServer = (): AppError =>
  new AppError("unavailable", "no_server", "No server is running on this data folder.", {
    details: { hint: "Start one with `argosy serve`, or name its folder with --data." },
  });

/** Returns the error for services that the running server was started without. */
export function notServed(names: readonly ServiceName[], served: readonly ServiceName[]): AppError {
  const missing = names.filter((name) => !served.includes(name));
  const wanted = services
    .map(({ name }) => name)
    .filter((name) => served.includes(name) || names.includes(name));
  const chosen = wanted.length === services.length ? "" : ` --services ${wanted.join(",")}`;
  return new AppError(
    "unavailable",
    "service_missing",
    `The running server on this data folder doesn't serve ${missing.join(" and ")}. It serves ${served.join(", ")}.`,
    {
      details: {
        hint: `Stop it and start \`argosy serve${chosen}\`. A service that runtime.yaml switches off (\`services: {${missing[0]}: {enabled: false}}\`) needs \`enabled: true\`.`,
      },
    },
  );
}

function describedAs(name: ServiceName): Service {
  const service = services.find((service) => service.name === name);
  if (service === undefined) throw new Error(`This executable has no service ${name}.`);
  return service;
}

/** Returns true if a server answers at this socket. A killed process leaves its socket behind. */
async function answers(unix: string): Promise<boolean> {
  try {
    const response = await fetch("http://localhost/healthz", { unix });
    return response.ok;
  } catch {
    return false;
  }
}
