import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { OwnerLife } from "../../storage/owner-life.ts";
import type { Sealer } from "../../storage/sealing/seal.ts";
import type { HostedEvalStorage } from "./tables.ts";

/** Dependencies of the evals that a service stores. */
export interface HostedEvalDeps {
  /** Separates the seals of the services. */
  service: "platform" | "cloud";
  storage: HostedEvalStorage;
  clock: Clock;
  newId: NewId;
  log: Logger;
  sealer: Sealer | undefined;
  /** Returns the person behind each tenant or org. Persons take turns. */
  ownersOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** This process, as it keeps itself alive in the database. */
  process: string;
  life: OwnerLife;
}

/** The tenant or org that evals belong to, and who acts for it. */
export interface EvalOwner {
  ownerId: string;
  author: string;
}
