import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { HeldVectors } from "../stores/held-vectors.ts";
import type { CollectionRegistry } from "./collection-registry.ts";

/** What ingest and search use of the world, beside a pipeline's own parts. */
export interface RagPorts {
  registry: CollectionRegistry;
  /** Finds collections whose vectors are not where the registry says. */
  held: HeldVectors;
  newId: NewId;
  clock: Clock;
  log: Logger;
}
