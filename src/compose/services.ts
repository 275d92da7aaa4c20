import type { RuntimeClient } from "../contracts/runtime/client.ts";
import type { ServiceApp } from "../http/service-app.ts";
import type { Worker } from "../kit/worker.ts";
import type { DoctorCheckup } from "../services/daemon/system/doctor.ts";
import type { Foundation } from "./foundation.ts";

/** Work that arrives by itself, such as messages of a channel. Only a process that serves accepts it. */
export interface Intake {
  begin(): void;
  /** Accepts no further work; resolves when running work has ended. */
  retire(): Promise<void>;
}

/** One service, assembled but not yet listening. */
export interface AssembledService {
  app: ServiceApp;
  /** App for the control socket and for commands on this machine; by default `app`. */
  control?: ServiceApp;
  /** For the daemon: the runtime for the other services. */
  runtime?: RuntimeClient;
  /** For services besides the daemon: checks that the daemon's doctor includes. */
  checkups?: readonly DoctorCheckup[];
  /** Background workers, in order of starting. */
  workers: readonly Worker[];
  intake?: Intake;
  /** Cancels running work when the time for a graceful stop is over. */
  cancel(): void;
  /** Writes pending data and closes the storage. Called after the listeners and workers have ended. */
  close(): Promise<void>;
}

export interface ServiceRule {
  port: number;
  /** Environment variables for the port; the first one set wins. */
  portVariables: readonly string[];
  /** Assembles the service; loads its modules only then. */
  assemble: (foundation: Foundation) => Promise<AssembledService>;
}

/** All services of this executable. A new one needs a folder, its assembly and an entry here. */
export const serviceRules = {
  daemon: {
    port: 8000,
    portVariables: ["PLATFORM_PORT", "ARGOSY_DAEMON_PORT"],
    assemble: async (foundation) => (await import("./daemon/assemble-daemon.ts")).assembleDaemon(foundation),
  },
  // After the daemon, whose runtime it uses.
  platform: {
    port: 8080,
    portVariables: ["ARGOSY_PLATFORM_PORT"],
    assemble: async (foundation) =>
      (await import("./platform/assemble-platform.ts")).assemblePlatform(foundation),
  },
} as const satisfies Record<string, ServiceRule>;

export type ServiceName = keyof typeof serviceRules;
