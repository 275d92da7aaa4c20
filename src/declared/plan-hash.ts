import type { ResourceChange } from "../contracts/translator/reconcile.ts";
import { checksumOf } from "../kit/json/canonical-json.ts";

/** Returns the hash of a plan: equal only for the same changes to the same values in the same place. */
export const planHash = (place: object, changes: readonly ResourceChange[]): string =>
  checksumOf({ ...place, changes });
