import type { StorageUse } from "../../contracts/platform/stored.ts";
import { type RoomStorage, storedAreas } from "../../storage/room.ts";

/** Returns true for requests that store nothing: they read, delete, or end their path with one of these verbs. */
export const storesNothing = ({ method, url }: Request, verbs: readonly string[]): boolean =>
  /^(GET|HEAD|DELETE)$/.test(method) || verbs.includes(new URL(url).pathname.split("/").at(-1) ?? "");

/** What a tenant or an org stores, and how much it may. */
export async function storageUse(
  storage: RoomStorage,
  ownerId: string,
  limit: number | null,
): Promise<StorageUse> {
  const areas = await storedAreas(storage, ownerId);
  return {
    stored_bytes: areas.reduce((sum, { bytes }) => sum + bytes, 0),
    limit_bytes: limit,
    areas,
  };
}
