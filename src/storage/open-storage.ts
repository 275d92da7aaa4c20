import { openSqlite } from "./sqlite/open-sqlite.ts";
import type { Storage, StorageOptions } from "./storage.ts";

/** Opens the service's database and migrates it: in PostgreSQL if there is a URL, otherwise as a file in the data folder. */
export async function openStorage<Tables>(options: StorageOptions<Tables>): Promise<Storage<Tables>> {
  if (options.url === undefined) return openSqlite(options);
  const { openPostgres } = await import("./postgres/open-postgres.ts");
  return openPostgres(options, options.url);
}
