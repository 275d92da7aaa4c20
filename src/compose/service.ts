import type { Access } from "../http/front-door/front-door.ts";
import type { Logger } from "../kit/log.ts";
import type { ConsoleRules } from "../services/console/targets.ts";
import type { ServiceMigrations } from "../storage/migration.ts";
import type { AssembledService, Foundation } from "./foundation.ts";
import type { Config } from "./settings/config.ts";
import type { ServiceName, ServicePort } from "./settings/service-settings.ts";

/** Returns the access settings of the service that is assembled. `openPaths` need no API token. */
export type AccessRule = (openPaths: readonly string[]) => Access;

/** A service of this executable: everything in which it differs from the others. */
export interface Service extends ServicePort {
  /** File name of its control socket in the data folder. */
  controlSocket: string;
  /** `api_token`: exposed only with the API token; `routes`: each of its routes checks a credential of its own. */
  guard: Exclude<Access["guard"], "none">;
  /** Services that it uses in the same process under this configuration. */
  needs(config: Config): readonly ServiceName[];
  /** Refuses settings of its own that are unsafe, and logs risks, before any service is assembled. */
  requireSafe?(config: Config, log: Logger): Promise<void>;
  /** Assembles the service on its storage; loads its modules only then. */
  assemble(foundation: Foundation, accessTo: AccessRule): Promise<AssembledService>;
  /** The steps that make its tables. */
  migrations(): Promise<ServiceMigrations>;
  console: ConsoleRules;
}
