import type { Clock } from "../kit/clock.ts";
import type { NewId } from "../kit/id.ts";
import type { Logger } from "../kit/log.ts";
import type { PostgresServers } from "../kit/postgres/postgres-servers.ts";
import type { WorkerState } from "../kit/worker.ts";
import type { DataFolder } from "../storage/files/data-folder.ts";
import type { Sealer } from "../storage/sealing/seal.ts";
import type { Config } from "./config.ts";
import type { AssembledService, ServiceName } from "./services.ts";

/** Parts that every service is assembled from. */
export interface Foundation {
  config: Config;
  log: Logger;
  folder: DataFolder;
  /** Undefined if the operator disabled generated secrets and configured none. */
  sealer: Sealer | undefined;
  clock: Clock;
  /** The PostgreSQL servers that this process calls: all services and stores learn from each other which one hangs. */
  servers: PostgresServers;
  newId: NewId;
  random: () => number;
  /** States of the background workers of all services, for readiness. */
  workerStates: () => WorkerState[];
  /** Returns an assembled service; undefined before it is assembled, and if this process doesn't have it. */
  findService: (name: ServiceName) => AssembledService | undefined;
}
