import type { Config } from "../../settings/config.ts";

/** Returns the data that no backup under this configuration contains, in sentences. */
export function missingFrom({ databaseUrl, redisUrl }: Pick<Config, "databaseUrl" | "redisUrl">): string[] {
  const missing: string[] = [];
  if (databaseUrl !== undefined)
    missing.push("The tables are in PostgreSQL and not in this backup: back them up with pg_dump.");
  if (redisUrl !== undefined) missing.push("Conversations that agents keep in Redis are not in this backup.");
  return missing;
}
