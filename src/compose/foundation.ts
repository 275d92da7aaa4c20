import type { Clock } from "../kit/clock.ts";
import type { NewId } from "../kit/id.ts";
import type { Logger } from "../kit/log.ts";
import type { SecretRegistry } from "../kit/secret-registry.ts";
import type { Config } from "./config.ts";

/** What every service is put together from. */
export interface Foundation {
  config: Config;
  log: Logger;
  secrets: SecretRegistry;
  clock: Clock;
  newId: NewId;
  random: () => number;
}
