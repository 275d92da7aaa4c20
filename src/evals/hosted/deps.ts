import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { OwnerLife } from "../../storage/owner-life.ts";
import type { Sealer } from "../../storage/sealing/seal.ts";
import type { EvalRunStorage, HostedEvalStorage } from "./tables.ts";

/** Dependencies of the stored runs of evals. */
export interface EvalRunDeps {
  /** Separates the seals of the services. */
  service: "daemon" | "platform" | "cloud";
  storage: EvalRunStorage;
  clock: Clock;
  sealer: Sealer | undefined;
  /** This process, as it keeps itself alive in the database. */
  process: string;
  life: OwnerLife;
}

/** Dependencies of the evals that a service stores. */
export interface HostedEvalDeps extends EvalRunDeps {
  storage: HostedEvalStorage;
  newId: NewId;
  log: Logger;
  /** Returns the person behind each tenant or org. Persons take turns. */
  ownersOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** The tenant or org that evals belong to, and who acts for it. */
export interface EvalOwner {
  ownerId: string;
  author: string;
}
