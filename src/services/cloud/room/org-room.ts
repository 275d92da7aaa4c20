import type { StorageUse } from "../../../contracts/platform/stored.ts";
import { requireRoom, storedAreas } from "../../../storage/room.ts";
import type { OrgActor } from "../access/credentials.ts";
import type { StoreDeps } from "../tables.ts";

type RoomDeps = Pick<StoreDeps, "storage">;

/** Throws 409 `storage_limit_reached` if the org may store no more, and 503 `disk_reserved` if others need the rest of the disk. */
export const requireOrgRoom = ({ storage }: RoomDeps, { org, limits }: Pick<OrgActor, "org" | "limits">) =>
  requireRoom(storage, org.id, () => limits.max_storage_bytes ?? null);

/** Requests that store nothing: they read, delete, check or end something. */
const storesNothing = ({ method, url }: Request) =>
  /^(GET|HEAD|DELETE)$/.test(method) || /\/(cancel|check|pause)$/.test(new URL(url).pathname);

/** Guard for an org's routes: refuses what stores more of an org that may store no more. */
export const limitOrgStorage =
  (deps: RoomDeps) =>
  async ({ actor, request }: { actor: OrgActor; request: Request }): Promise<Record<string, never>> => {
    if (!storesNothing(request)) await requireOrgRoom(deps, actor);
    return {};
  };

/** What the org stores, and how much it may. */
export async function storageUse({ storage }: RoomDeps, { org, limits }: OrgActor): Promise<StorageUse> {
  const areas = await storedAreas(storage, org.id);
  return {
    stored_bytes: areas.reduce((sum, { bytes }) => sum + bytes, 0),
    limit_bytes: limits.max_storage_bytes ?? null,
    areas,
  };
}
