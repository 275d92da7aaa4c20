import { AppError } from "../kit/app-error.ts";
import { type Clock, systemClock } from "../kit/clock.ts";
import { newId } from "../kit/id.ts";
import type { Logger } from "../kit/log.ts";
import { PostgresServers } from "../kit/postgres/postgres-servers.ts";
import { WorkerGroup } from "../kit/worker.ts";
import { openDataFolder } from "../storage/files/data-folder.ts";
import { configWatcher } from "./changed-config.ts";
import type { Config } from "./config.ts";
import type { Foundation } from "./foundation.ts";
import { openSealer } from "./local-secrets.ts";
import { type AssembledService, type ServiceName, serviceRules } from "./services.ts";
import { startFault } from "./start-fault.ts";

/** The selected services on one data folder, assembled but not yet listening. */
export interface AssembledArgosy {
  foundation: Foundation;
  services: ReadonlyMap<ServiceName, AssembledService>;
  getService(name: ServiceName): AssembledService;
  startWorkers(): void;
  /** Starts work that arrives by itself; for a process that serves. */
  beginIntake(): void;
  /** Stops accepting such work. Resolves when running work has ended, or after `deadlineMs`. */
  retireIntake(deadlineMs: number): Promise<void>;
  /** Cancels running work. */
  cancel(): void;
  /** Cancels running work, stops the workers, writes pending data and releases the data folder. */
  close(deadlineMs: number): Promise<void>;
}

export interface AssembleOptions {
  log: Logger;
  /** Services to assemble instead of those that the configuration enables. */
  only?: readonly ServiceName[];
  /** Default: the system clock. */
  clock?: Clock;
}

/** Locks the data folder, opens its secrets and assembles the services. If one fails, releases everything. */
export async function assembleArgosy(
  config: Config,
  { log, only, clock = systemClock }: AssembleOptions,
): Promise<AssembledArgosy> {
  const names = only ?? enabledServices(config);
  const folder = openDataFolder(config.dataFolder);
  const services = new Map<ServiceName, AssembledService>();
  const servers = new PostgresServers(systemClock);
  let foundation: Foundation;
  try {
    foundation = {
      config,
      log,
      folder,
      sealer: openSealer(config, folder, log),
      clock,
      servers,
      newId,
      random: Math.random,
      workerStates: () => workers.states(),
      findService: (name) => services.get(name),
    };
    for (const name of names) services.set(name, await serviceRules[name].assemble(foundation));
  } catch (thrown) {
    for (const service of services.values()) await service.close();
    servers.close();
    folder.close();
    throw startFault(thrown, config);
  }
  const loops = [
    ...[...services.values()].flatMap((service) => service.workers),
    configWatcher(config, clock, log),
  ];
  const workers = new WorkerGroup(loops, { clock, random: Math.random, log });
  const cancel = () => {
    for (const service of services.values()) service.cancel();
  };
  return {
    foundation,
    services,
    getService(name) {
      const service = services.get(name);
      if (service !== undefined) return service;
      throw new AppError("internal", "service_missing", `The service ${name} was not put together.`);
    },
    startWorkers: () => workers.start(),
    beginIntake() {
      for (const service of services.values()) service.intake?.begin();
    },
    async retireIntake(deadlineMs) {
      const timeUp = Promise.withResolvers<void>();
      const cancelTimer = clock.timer(deadlineMs, timeUp.resolve);
      const retired = Promise.all([...services.values()].map((service) => service.intake?.retire()));
      await Promise.race([retired, timeUp.promise]);
      cancelTimer();
    },
    cancel,
    async close(deadlineMs) {
      cancel();
      await workers.stop(deadlineMs);
      for (const service of [...services.values()].reverse()) await service.close();
      servers.close();
      folder.close();
    },
  };
}

function enabledServices(config: Config): ServiceName[] {
  const names = Object.keys(serviceRules) as ServiceName[];
  const enabled = names.filter((name) => config.services[name].enabled);
  if (enabled.length > 0) return enabled;
  throw new AppError("invalid", "invalid_config", "No service is enabled.", {
    details: { hint: "Enable one in runtime.yaml, or name it with --services." },
  });
}
