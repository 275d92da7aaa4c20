import { AppError } from "../../../kit/app-error.ts";
import type { Logger } from "../../../kit/log.ts";
import type { DataFolder } from "../../../storage/files/data-folder.ts";
import { type KeyRing, parseKeyRing } from "../../../storage/sealing/key-ring.ts";
import { createSealer, type Sealer } from "../../../storage/sealing/seal.ts";
import {
  initSecrets,
  readSecrets,
  type Secrets,
  secretsPath,
} from "../../../storage/sealing/secrets-file.ts";
import type { Config } from "../config.ts";

/**
 * Opens the sealer of this installation with the configured keys, or with those in the data folder, which are created at the first start.
 * With a shared database, keys are never created, because every process needs the same ones. Returns undefined if generated secrets are
 * disabled and none exist.
 */
export function openSealer(config: Config, folder: DataFolder, log: Logger): Sealer | undefined {
  const { secrets, databaseUrl, knownSecrets } = config;
  if (secrets.sealingKeys !== undefined) {
    return createSealer(parseKeyRing("ARGOSY_SEALING_KEYS", secrets.sealingKeys));
  }
  if (databaseUrl !== undefined) throw keysNeeded();
  const generated = secrets.generate ? initSecrets(folder.path) : undefined;
  const found = generated?.secrets ?? readSecrets(folder.path);
  if (found === undefined) return undefined;
  learnRings(found, knownSecrets);
  if (generated?.created === true) {
    log.info("secrets.generated", { file: secretsPath(folder.path), read_them_with: "argosy secrets show" });
  }
  return createSealer(parseKeyRing(secretsPath(folder.path), found.sealing_keys));
}

/**
 * Opens the keys that sign people's tokens: the configured ones, or those in the data folder. Returns undefined if generated secrets are
 * disabled and none exist.
 */
export function openJwtKeys(config: Config, folder: DataFolder): KeyRing | undefined {
  const { secrets, databaseUrl, knownSecrets } = config;
  if (secrets.jwtKeys !== undefined) return parseKeyRing("ARGOSY_JWT_KEYS", secrets.jwtKeys);
  if (databaseUrl !== undefined) throw keysNeeded();
  // Created here if only the sealing keys are configured.
  const found = secrets.generate ? initSecrets(folder.path).secrets : readSecrets(folder.path);
  if (found === undefined) return undefined;
  learnRings(found, knownSecrets);
  return parseKeyRing(secretsPath(folder.path), found.jwt_keys);
}

function learnRings(found: Secrets, knownSecrets: Config["knownSecrets"]): void {
  for (const ring of Object.values(found)) {
    for (const entry of ring.split(",")) knownSecrets.add(entry.slice(entry.indexOf(":") + 1));
  }
}

function keysNeeded(): AppError {
  return new AppError(
    "invalid",
    "sealing_keys_needed",
    "DATABASE_URL is set, so the secrets that every process shares must be given: set ARGOSY_SEALING_KEYS and ARGOSY_JWT_KEYS.",
    { details: { hint: "`argosy secrets init --print` makes them." } },
  );
}
