import type { Clock } from "../kit/clock.ts";
import type { NewId } from "../kit/id.ts";
import type { Logger } from "../kit/log.ts";
import type { PostgresServers } from "../kit/postgres/postgres-servers.ts";
import type { WorkerState } from "../kit/worker.ts";
import type { DataFolder } from "../storage/data-folder.ts";
import type { Sealer } from "../storage/seal.ts";
import type { Config } from "./config.ts";
import type { AssembledService, ServiceName } from "./services.ts";

/** What every service is put together from. */
export interface Foundation {
  config: Config;
  log: Logger;
  folder: DataFolder;
  /** Undefined when the operator switched generated secrets off and configured none. */
  sealer: Sealer | undefined;
  clock: Clock;
  /** The PostgreSQL servers that this process calls: all services and stores learn from each other which one hangs. */
  servers: PostgresServers;
  newId: NewId;
  random: () => number;
  /** The background loops of all services, for readiness. */
  workerStates: () => WorkerState[];
  /** A service that has been put together; undefined before that, and when this process has not got it. */
  findService: (name: ServiceName) => AssembledService | undefined;
}
