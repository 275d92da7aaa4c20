import type { Storage } from "../../../storage/storage.ts";
import type { ModelShelf } from "./model-shelf.ts";
import type { MlTables } from "./schema.ts";

/** Storage and loaded models of the model registry. */
export interface DaemonMl {
  storage: Storage<MlTables>;
  shelf: ModelShelf;
}
