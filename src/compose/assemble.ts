import { UntrustedProxies } from "../http/front-door/untrusted-proxies.ts";
import { AppError, toAppError } from "../kit/app-error.ts";
import { type Clock, systemClock } from "../kit/clock.ts";
import { postgresHosts } from "../kit/database-address.ts";
import { newId } from "../kit/id.ts";
import type { Logger } from "../kit/log.ts";
import { LogRing } from "../kit/log-ring.ts";
import { FaultSwitch } from "../kit/outages/fault-switch.ts";
import { tooManyConnections } from "../kit/postgres/postgres-connections.ts";
import { PostgresServers } from "../kit/postgres/postgres-servers.ts";
import { WorkerGroup } from "../kit/worker.ts";
import { certificateFault, DatabaseFault } from "../storage/database-error.ts";
import { openDataFolder, unusableDataFolder } from "../storage/files/data-folder.ts";
import { connectionsMax } from "../storage/postgres/connections-max.ts";
import { createCheckpointThread } from "../storage/sqlite/checkpoint-thread.ts";
import { accessTo } from "./exposure.ts";
import type { AssembledService, Foundation } from "./foundation.ts";
import { parkedWorkCheckup, retryParked } from "./parked-work-checkup.ts";
import { createPeers } from "./peers.ts";
import { openProcessClock, type ProcessClock } from "./process-clock.ts";
import type { Service } from "./service.ts";
import { services } from "./services.ts";
import { configWatcher } from "./settings/changed-config.ts";
import { type Config, requireSound } from "./settings/config.ts";
import { openSealer } from "./settings/secrets/local-secrets.ts";
import { type ServiceName, serviceConfig } from "./settings/service-settings.ts";
import type { TlsFiles } from "./settings/tls.ts";
import { startCheckups } from "./start-checkups.ts";
import { workerCheckup } from "./worker-checkup.ts";

/** An assembled service with its description. */
export interface AssembledEntry extends AssembledService {
  service: Service;
}

/** The selected services on one data folder, assembled but not yet listening. */
export interface AssembledArgosy {
  foundation: Foundation;
  /** In order of assembly. */
  services: readonly AssembledEntry[];
  getService(name: ServiceName): AssembledService;
  startWorkers(): void;
  /** Starts work that arrives by itself; for a process that serves. */
  beginIntake(): void;
  /** Stops accepting such work. Resolves when running work has ended, or after `deadlineMs`. */
  retireIntake(deadlineMs: number): Promise<void>;
  /** Performs maintenance that is due, in a process that ends before its workers would. */
  finish(): Promise<void>;
  /** Cancels running work. */
  cancel(): void;
  /** Cancels running work, stops the workers, writes pending data and releases the data folder. */
  close(deadlineMs: number): Promise<void>;
}

export interface AssembleOptions {
  log: Logger;
  /** The newest lines of `log`; empty unless given. */
  ring?: LogRing;
  /** Certificate and key that the services will listen with. */
  tls?: TlsFiles | undefined;
  /** Services to assemble instead of those that the configuration enables. */
  only?: readonly ServiceName[];
  /** True if programs of the workspace are started at once; otherwise when a run needs them. */
  startsPrograms?: boolean;
  /** This machine's clock; the system's unless given. */
  clock?: Clock;
  /** Called when the data folder is locked, before the services are assembled. */
  locked?: (chosen: readonly Service[], clock: Clock) => void;
}

/** Locks the data folder, opens its secrets and assembles the services. If one fails, releases everything. */
export async function assembleArgosy(
  config: Config,
  {
    log,
    ring = new LogRing(),
    tls,
    only,
    startsPrograms = false,
    clock: machine = systemClock,
    locked,
  }: AssembleOptions,
): Promise<AssembledArgosy> {
  requireSound(config);
  const chosen =
    only === undefined ? enabledServices(config) : services.filter(({ name }) => only.includes(name));
  const folder = openDataFolder(config.dataFolder);
  const assembled: AssembledEntry[] = [];
  const find = (name: ServiceName) => assembled.find(({ service }) => service.name === name);
  const faults = new FaultSwitch(machine);
  const servers = new PostgresServers(systemClock, { held: () => faults.silentDatabase });
  const checkpoints = createCheckpointThread(log);
  let foundation: Foundation;
  let time: ProcessClock | undefined;
  try {
    const sealer = openSealer(config, folder, log);
    time = await openProcessClock(config, servers, machine);
    const { clock } = time;
    locked?.(chosen, clock);
    foundation = {
      config,
      log,
      folder,
      startsPrograms,
      sealer,
      clock,
      machineClock: time,
      servers,
      checkpoints,
      faults,
      newId,
      random: Math.random,
      untrustedProxies: new UntrustedProxies(log, clock, config.access.trustedProxies),
      tls,
      unready: () => firstOf(assembled, ({ unready }) => unready?.()),
      workerStates: () => workers.states(),
      ring,
      operated: {
        workers: () =>
          workers.states().map((state, place) => ({ service: owners[place] ?? "process", state })),
        storages: () => assembled.map(({ service: { name }, storage }) => ({ service: name, storage })),
        retained: () =>
          assembled.flatMap(({ service: { name }, retained = [] }) =>
            retained.map((one) => ({ service: name, retained: one })),
          ),
      },
      peers: createPeers((name) => find(name)?.internal ?? find(name)?.app),
      retryParked: (work) =>
        retryParked(
          assembled.map(({ storage }) => storage),
          work,
        ),
      checkups: () => [
        ...assembled.flatMap(({ checkups }) => checkups),
        workerCheckup(() => foundation.operated.workers()),
        parkedWorkCheckup(() => assembled.map(({ storage }) => storage)),
        ...startCheckups(foundation, services),
      ],
    };
    for (const service of chosen) {
      const parts = await service.assemble(foundation, (openPaths) => ({
        ...accessTo(config, service, openPaths),
        untrustedProxies: foundation.untrustedProxies,
      }));
      assembled.push({ service, ...parts });
    }
  } catch (thrown) {
    for (const service of assembled) await service.close();
    await time?.close();
    servers.close();
    checkpoints.close();
    folder.close();
    throw startFault(thrown, config);
  }
  const { clock } = time;
  const loops = [
    ...assembled.flatMap(({ workers }) => workers),
    configWatcher(config, clock, log),
    ...time.workers,
  ];
  const owners = assembled.flatMap(({ service, workers }) => workers.map(() => service.name));
  const workers = new WorkerGroup(loops, { clock, random: Math.random, log });
  const cancel = () => {
    for (const service of assembled) service.cancel();
  };
  return {
    foundation,
    services: assembled,
    getService(name) {
      const service = find(name);
      if (service !== undefined) return service;
      throw new AppError("internal", "service_missing", `The service ${name} was not put together.`);
    },
    startWorkers: () => workers.start(),
    beginIntake() {
      for (const { intake } of assembled) intake?.begin();
    },
    async retireIntake(deadlineMs) {
      const timeUp = Promise.withResolvers<void>();
      const cancelTimer = clock.timer(deadlineMs, timeUp.resolve);
      // A stop goes on, and closes everything, whatever becomes of one service's last work.
      const retired = Promise.all(
        assembled.map(async ({ service, intake }) => {
          try {
            await intake?.retire();
          } catch (thrown) {
            log.error("stop.unfinished", { service: service.name, err: thrown });
          }
        }),
      );
      await Promise.race([retired, timeUp.promise]);
      cancelTimer();
    },
    async finish() {
      for (const { finish } of assembled) await finish?.();
    },
    cancel,
    async close(deadlineMs) {
      cancel();
      await workers.stop(deadlineMs);
      for (const service of assembled.toReversed()) await service.close();
      await time.close();
      servers.close();
      checkpoints.close();
      folder.close();
    },
  };
}

/** Returns the first answer that isn't undefined. */
function firstOf<Item, Answer>(items: readonly Item[], ask: (item: Item) => Answer | undefined) {
  for (const item of items) {
    const answer = ask(item);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function enabledServices(config: Pick<Config, "services">): Service[] {
  const enabled = services.filter(({ name }) => serviceConfig(config.services, name).enabled);
  if (enabled.length > 0) return enabled;
  throw new AppError("invalid", "invalid_config", "No service is enabled.", {
    details: { hint: "Enable one in runtime.yaml, or name it with --services." },
  });
}

/**
 * Explains why the services could not be assembled. The message helps at the start, for example by naming a full disk or an unreachable
 * database server.
 */
function startFault(
  thrown: unknown,
  { dataFolder, databaseUrl }: Pick<Config, "dataFolder" | "databaseUrl">,
): AppError {
  const error = toAppError(thrown);
  const { cause } = error;
  if (cause instanceof Error && "code" in cause && cause.code === "ENOSPC")
    return unusableDataFolder(dataFolder, cause);
  if (error.code !== "storage_unavailable") return error;
  if (databaseUrl === undefined) return unusableDataFolder(dataFolder, cause);
  const hosts = postgresHosts(databaseUrl).map((address) => new URL(address).host);
  const server = `The database server at ${hosts.join(" or ")}`;
  if (cause instanceof DatabaseFault && cause.code === certificateFault) {
    const hint =
      "Name the file of its authority's certificate in DATABASE_URL: sslmode=verify-full&sslrootcert=/path/ca.crt.";
    return new AppError(
      "unavailable",
      "storage_unavailable",
      `${server} has a certificate that can't be verified.`,
      {
        cause,
        details: { hint },
      },
    );
  }
  if (cause instanceof DatabaseFault && cause.code === tooManyConnections) {
    const hint = `Raise its max_connections: each service of this node uses up to ${connectionsMax}. See docs/mesh.md.`;
    return new AppError("unavailable", "storage_unavailable", `${server} has no free connection.`, {
      cause,
      details: { hint },
    });
  }
  return new AppError("unavailable", "storage_unavailable", `${server} can't be reached.`, {
    cause,
    details: { hint: "Start it, or correct the address in DATABASE_URL." },
  });
}
