import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Accounts } from "./accounts/accounts.ts";
import type { SpecManifests } from "./mapping/read-spec.ts";
import type { TranslatorTables } from "./tables.ts";

/** Dependencies of the translator's routes. */
export interface TranslatorDeps {
  version: string;
  clock: Clock;
  newId: NewId;
  log: Logger;
  storage: Storage<TranslatorTables>;
  accounts: Accounts;
  manifests: SpecManifests;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
}
