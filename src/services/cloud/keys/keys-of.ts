import type { OwnersKeys } from "../../../control-plane/keys/api-keys.ts";
import type { CloudTables } from "../tables.ts";

/** The keys of an org, which are named by their ids. */
export const keysOf = ({ apiKeys }: Pick<CloudTables, "apiKeys">, orgId: string): OwnersKeys => ({
  apiKeys,
  named: apiKeys.id,
  owner: apiKeys.orgId,
  ownerId: orgId,
});
