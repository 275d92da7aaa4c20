import type { SignedIn } from "../contracts/platform/auth.ts";
import type { UntrustedProxies } from "../http/front-door/untrusted-proxies.ts";
import type { ServiceApp } from "../http/service-app.ts";
import type { Clock } from "../kit/clock.ts";
import type { NewId } from "../kit/id.ts";
import type { Logger } from "../kit/log.ts";
import type { LogRing } from "../kit/log-ring.ts";
import type { FaultSwitch } from "../kit/outages/fault-switch.ts";
import type { PostgresServers } from "../kit/postgres/postgres-servers.ts";
import type { Worker, WorkerState } from "../kit/worker.ts";
import type { MemberSignIn } from "../services/console/deps.ts";
import type { Retained } from "../services/daemon/operations/storage-report.ts";
import type { DoctorCheckup, RetryParked } from "../services/daemon/system/doctor.ts";
import type { DataFolder } from "../storage/files/data-folder.ts";
import type { Sealer } from "../storage/sealing/seal.ts";
import type { CheckpointThread } from "../storage/sqlite/checkpoint-thread.ts";
import type { Storage } from "../storage/storage.ts";
import type { NodeDoor } from "./daemon/node-door.ts";
import type { LocalApp, Peers } from "./peers.ts";
import type { ProcessClock } from "./process-clock.ts";
import type { Config } from "./settings/config.ts";
import type { TlsFiles } from "./settings/tls.ts";

/** Parts that every service is assembled from. */
export interface Foundation {
  config: Config;
  log: Logger;
  /** True if programs of the workspace are started at once; otherwise when a run needs them. */
  startsPrograms: boolean;
  folder: DataFolder;
  /** Undefined if the operator disabled generated secrets and configured none. */
  sealer: Sealer | undefined;
  /** The database's time if processes of several machines share it. Only the log shows the machine's own. */
  clock: Clock;
  machineClock: Pick<ProcessClock, "offMs" | "fault">;
  /** The PostgreSQL servers that this process calls: all services and stores learn from each other which one hangs. */
  servers: PostgresServers;
  /** Moves SQLite's write-ahead logs into the files, for all services. */
  checkpoints: CheckpointThread;
  newId: NewId;
  random: () => number;
  /** Faults that a drill injects. */
  faults: FaultSwitch;
  /** Proxies that the operator forgot to list. */
  untrustedProxies: UntrustedProxies;
  /** Certificate and key that the listeners use; undefined without TLS, and in a command, which doesn't listen. */
  tls: TlsFiles | undefined;
  /** Returns why load balancers should send this process nothing; undefined if they may. */
  unready: () => string | undefined;
  /** States of the background workers of all services, for readiness. */
  workerStates: () => WorkerState[];
  /** The newest lines of the log. */
  ring: LogRing;
  /** The assembled services with their workers and databases, for the owner. */
  operated: Operated;
  /** The other services, in this process or elsewhere. */
  peers: Peers;
  /** The doctor's checks of all assembled services, in order of assembly, and of the process. */
  checkups: () => readonly DoctorCheckup[];
  retryParked: RetryParked;
}

/** The parts of the assembled services that the owner watches. */
export interface Operated {
  /** States of all workers with the service of each; `process` for those of none. */
  workers(): { service: string; state: WorkerState }[];
  storages(): { service: string; storage: Storage }[];
  /** Data that the services delete by age. */
  retained(): { service: string; retained: Retained }[];
}

/** Work that arrives by itself, such as messages of a channel. Only a process that serves accepts it. */
export interface Intake {
  begin(): void;
  /** Accepts no further work; resolves when running work has ended. */
  retire(): Promise<void>;
}

/** The people who sign in at a service, for the console. */
export interface ServicePeople {
  /** True if new accounts are accepted. */
  registration: boolean;
  /** Signs in this machine's owner; undefined if sign-in is not available. */
  openOwnerSession: (() => Promise<SignedIn>) | undefined;
}

/** One service, assembled but not yet listening. */
export interface AssembledService {
  app: ServiceApp;
  /** App for the control socket and for commands on this machine; by default `app`. */
  control?: ServiceApp;
  /** App for sessions of the console that may use the service; by default `app`. */
  operators?: ServiceApp;
  /** App for the other services of this process, which no network reaches; by default `app`. */
  internal?: LocalApp;
  /** Where other nodes reach it, if not on its own port. */
  door?: NodeDoor | undefined;
  checkups: readonly DoctorCheckup[];
  /** Its own database. */
  storage: Storage;
  /** Background workers, in order of starting. */
  workers: readonly Worker[];
  /** Data that its workers delete by age. */
  retained?: readonly Retained[];
  intake?: Intake;
  people?: ServicePeople;
  /** The people who sign in at the cloud, for the console. */
  members?: MemberSignIn;
  /** Performs maintenance that is due. Called at the end of a command, whose process ends before its workers would perform it. */
  finish?(): Promise<void>;
  /** How many runs are going on. */
  runs?(): number;
  /** Returns why load balancers should send this process nothing; undefined if they may. */
  unready?(): string | undefined;
  /** Cancels running work when the time for a graceful stop is over. */
  cancel(): void;
  /** Writes pending data and closes the storage. Called after the listeners and workers have ended. */
  close(): Promise<void>;
}
