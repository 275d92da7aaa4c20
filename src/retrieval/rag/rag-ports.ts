import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { HeldVectors } from "../stores/held-vectors.ts";
import type { CollectionRegistry } from "./collections/collection-registry.ts";

/** Dependencies of ingest and search besides a pipeline's own parts. */
export interface RagPorts {
  registry: CollectionRegistry;
  /** Detects collections whose vectors are not in the recorded place. */
  held: HeldVectors;
  newId: NewId;
  clock: Clock;
  log: Logger;
}
