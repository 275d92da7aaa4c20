import { existsSync } from "node:fs";
import { AppError } from "../../../kit/app-error.ts";
import { openDataFolder } from "../../../storage/files/data-folder.ts";
import {
  generatedSecrets,
  generateSecrets,
  initSecrets,
  maskedSecret,
  readSecrets,
  rotateSecret,
  type SecretName,
  secretNames,
  secretsPath,
} from "../../../storage/sealing/secrets-file.ts";
import type { Config } from "../config.ts";

export type { SecretName };

/** A secret as it may be shown. */
export interface SecretRow {
  name: SecretName;
  /** Ids of its keys, the active one first; empty if there is none. */
  keys: string;
  source: "environment" | "generated" | "none";
  /** Variable or file that it comes from. */
  origin: string;
}

type SecretConfig = Pick<Config, "dataFolder" | "databaseUrl" | "secrets">;

/** Creates secrets without storing them, by the variables for them. */
export function freshVariables(): Record<string, string> {
  return byVariable(generateSecrets());
}

/** Creates the data folder's secrets if there are none. Throws if they must come from the environment. */
export function initLocalSecrets(config: SecretConfig): { path: string; created: boolean } {
  refuseShared(config);
  const { created } = withDataFolder(config, initSecrets);
  return { path: secretsPath(config.dataFolder), created };
}

/** Adds a new first key to each of `names`. Throws for secrets given by the environment. */
export function rotateLocalSecrets(config: SecretConfig, names: readonly SecretName[]): SecretRow[] {
  refuseShared(config);
  const given = names.find((name) => fromEnvironment(config, name) !== undefined);
  if (given !== undefined)
    throw elsewhere(`${generatedSecrets[given]} is set, and it comes before the data folder.`);
  withDataFolder(config, (folder) => {
    for (const name of names) rotateSecret(folder, name);
  });
  return effectiveSecrets(config).filter(({ name }) => names.includes(name));
}

/** Returns the keys in use and their origins, masked. */
export function effectiveSecrets(config: SecretConfig): SecretRow[] {
  const stored = storedSecrets(config);
  return secretNames.map((name) => {
    const given = fromEnvironment(config, name);
    if (given !== undefined) {
      return { name, keys: maskedSecret(given), source: "environment", origin: generatedSecrets[name] };
    }
    if (stored !== undefined) {
      return {
        name,
        keys: maskedSecret(stored[name]),
        source: "generated",
        origin: secretsPath(config.dataFolder),
      };
    }
    return { name, keys: "", source: "none", origin: "argosy secrets init" };
  });
}

/** Returns the secrets in use themselves, by the variables for them. */
export function revealedVariables(config: SecretConfig): Record<string, string> {
  const stored = storedSecrets(config);
  return byVariable(
    Object.fromEntries(secretNames.map((name) => [name, fromEnvironment(config, name) ?? stored?.[name]])),
  );
}

function byVariable(secrets: Partial<Record<SecretName, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    secretNames.flatMap((name) => {
      const value = secrets[name];
      return value === undefined ? [] : [[generatedSecrets[name], value]];
    }),
  );
}

function fromEnvironment(config: SecretConfig, name: SecretName): string | undefined {
  return { sealing_keys: config.secrets.sealingKeys, jwt_keys: config.secrets.jwtKeys }[name];
}

/** With a shared database, keys come only from the environment, because every node must have the same ones. */
function storedSecrets(config: SecretConfig) {
  if (config.databaseUrl !== undefined || !existsSync(config.dataFolder)) return undefined;
  return readSecrets(config.dataFolder);
}

function refuseShared(config: SecretConfig): void {
  if (config.databaseUrl !== undefined) {
    throw elsewhere("DATABASE_URL is set: every node that shares it needs the same secrets.");
  }
}

/** Holds the folder's lock, because a server reads its secrets at the start, and only one process may write them. */
function withDataFolder<T>(config: SecretConfig, use: (folder: string) => T): T {
  const folder = openDataFolder(config.dataFolder);
  try {
    return use(folder.path);
  } finally {
    folder.close();
  }
}

function elsewhere(reason: string): AppError {
  return new AppError("conflict", "secrets_elsewhere", reason, {
    details: {
      hint:
        "`argosy secrets init --print` makes keys. With one process, put the new key first in the variable, before the old one, and restart. " +
        "With several nodes, append it after the old one on all nodes and restart them; then put it first on all nodes and restart them again.",
    },
  });
}
