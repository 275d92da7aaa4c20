import { generatedSecrets } from "../sealing/secrets-file.ts";

/** Facts about an installation that decide what its backups lack. A command's own environment may not have the server's variables. */
export interface InstallationFacts {
  has_external_database: boolean;
  has_redis: boolean;
  /** Variables that the keys come from; those of the data folder are not used instead of these. */
  key_variables: string[];
}

/** Settings that name what lies outside the data folder; a key is absent if the data folder's is used. */
export interface InstallationSettings {
  databaseUrl?: string;
  redisUrl?: string;
  secrets: { sealingKeys?: string; jwtKeys?: string };
}

/** Returns the facts of this process's configuration. */
export function factsOf({
  databaseUrl,
  redisUrl,
  secrets: { sealingKeys, jwtKeys },
}: InstallationSettings): InstallationFacts {
  return {
    has_external_database: databaseUrl !== undefined,
    has_redis: redisUrl !== undefined,
    key_variables: [
      ...(sealingKeys === undefined ? [] : [generatedSecrets.sealing_keys]),
      ...(jwtKeys === undefined ? [] : [generatedSecrets.jwt_keys]),
    ],
  };
}

/** Returns the data that no backup of this installation contains, in sentences. */
export function missingFrom({
  has_external_database,
  has_redis,
  key_variables,
}: InstallationFacts): string[] {
  const missing: string[] = [];
  if (has_external_database)
    missing.push("The tables are in PostgreSQL and not in this backup: back them up with pg_dump.");
  if (has_redis) missing.push("Conversations that agents keep in Redis are not in this backup.");
  if (key_variables.length > 0)
    missing.push(
      `The keys in ${key_variables.join(" and ")} are not in this backup: keep them elsewhere. Without them, sealed secrets can't be opened.`,
    );
  return missing;
}
