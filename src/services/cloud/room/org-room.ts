import { storesNothing } from "../../../control-plane/room/storage-use.ts";
import { requireRoom } from "../../../storage/room.ts";
import type { OrgActor } from "../access/credentials.ts";
import type { CloudStoreDeps } from "../tables.ts";

type RoomDeps = Pick<CloudStoreDeps, "storage">;

/** Throws 409 `storage_limit_reached` if the org may store no more, and 503 `disk_reserved` if others need the rest of the disk. */
export const requireOrgRoom = ({ storage }: RoomDeps, { org, limits }: Pick<OrgActor, "org" | "limits">) =>
  requireRoom(storage, org.id, () => limits.max_storage_bytes ?? null);

/** Guard for an org's routes: refuses what stores more of an org that may store no more. */
export const limitOrgStorage =
  (deps: RoomDeps) =>
  async ({ actor, request }: { actor: OrgActor; request: Request }): Promise<Record<string, never>> => {
    if (!storesNothing(request, ["cancel", "check", "pause"])) await requireOrgRoom(deps, actor);
    return {};
  };
