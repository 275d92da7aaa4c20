import type { Storage } from "../../../storage/storage.ts";
import type { ModelShelf } from "./model-shelf.ts";
import type { MlTables } from "./schema.ts";

/** What the registry of models works with. */
export interface DaemonMl {
  storage: Storage<MlTables>;
  shelf: ModelShelf;
}
