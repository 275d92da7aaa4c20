import type { RuntimeClient } from "../contracts/runtime/client.ts";
import type { ServiceApp } from "../http/service-app.ts";
import type { Worker } from "../kit/worker.ts";
import type { DoctorCheckup } from "../services/daemon/system/doctor.ts";
import type { Foundation } from "./foundation.ts";

/** Work that comes by itself, such as messages of a channel; only a process that serves takes it up. */
export interface Intake {
  begin(): void;
  /** Takes up nothing more, and resolves when what is under way has ended. */
  retire(): Promise<void>;
}

/** One service, put together and not yet listening. */
export interface AssembledService {
  app: ServiceApp;
  /** What the control socket serves, and a command of this machine; the app itself unless given. */
  control?: ServiceApp;
  /** Of the daemon: the runtime as the services beside it see it. */
  runtime?: RuntimeClient;
  /** Of the services beside the daemon: what its doctor looks at as well. */
  checkups?: readonly DoctorCheckup[];
  /** Its background loops, in the order of starting. */
  workers: readonly Worker[];
  intake?: Intake;
  /** Cancels what is still in work, once the time for a graceful stop is over. */
  cancel(): void;
  /** Writes what is left and closes its storage; called after its listeners and workers have ended. */
  close(): Promise<void>;
}

export interface ServiceRule {
  port: number;
  /** Environment variables that set the port, first wins. */
  portVariables: readonly string[];
  /** Puts the service together; what it needs is loaded only then. */
  assemble: (foundation: Foundation) => Promise<AssembledService>;
}

/** Every service of this executable. A new one is a folder, its assembly and a line here. */
export const serviceRules = {
  daemon: {
    port: 8000,
    portVariables: ["PLATFORM_PORT", "ARGOSY_DAEMON_PORT"],
    assemble: async (foundation) => (await import("./daemon.ts")).assembleDaemon(foundation),
  },
  // After the daemon, whose runtime it uses.
  platform: {
    port: 8080,
    portVariables: ["ARGOSY_PLATFORM_PORT"],
    assemble: async (foundation) => (await import("./platform.ts")).assemblePlatform(foundation),
  },
} as const satisfies Record<string, ServiceRule>;

export type ServiceName = keyof typeof serviceRules;
