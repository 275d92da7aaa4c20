import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import { formatKeyRing, generateKey, parseKeyRing } from "./key-ring.ts";

/** The key rings that a local workspace generates for itself, and the environment variable of each. */
export const generatedSecrets = {
  sealing_keys: "ARGOSY_SEALING_KEYS",
  jwt_keys: "ARGOSY_JWT_KEYS",
} as const;

export type SecretName = keyof typeof generatedSecrets;
export type Secrets = Record<SecretName, string>;

export const secretNames = Object.keys(generatedSecrets) as SecretName[];

/** Generates secrets that are stored nowhere, for `argosy secrets init --print`. */
export const generateSecrets = (): Secrets => ({
  sealing_keys: formatKeyRing([generateKey()]),
  jwt_keys: formatKeyRing([generateKey()]),
});

export const secretsPath = (folder: string): string => join(folder, "secrets.json");

/** Returns the folder's secrets, or undefined if there are none. Refuses a file that others may read, or that is incomplete. */
export function readSecrets(folder: string): Secrets | undefined {
  const path = secretsPath(folder);
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) return undefined;
  if ((status.mode & 0o077) !== 0) {
    throw new AppError(
      "unavailable",
      "secrets_file_exposed",
      `Others may read ${path}: run \`chmod 600 ${path}\`, and rotate the secrets if they may have been read.`,
    );
  }
  return parseSecrets(path, readFileSync(path, "utf8"));
}

function parseSecrets(path: string, text: string): Secrets {
  const secretsObject = parsedObject(text);
  const ringOf = (name: SecretName) => {
    const ring = secretsObject[name];
    if (typeof ring !== "string") {
      const message = `${path} holds no ${name}: it is damaged. Restore it from a backup.`;
      throw new AppError("unavailable", "secrets_file_invalid", message);
    }
    parseKeyRing(`${path}, ${name}`, ring);
    return ring;
  };
  return { sealing_keys: ringOf("sealing_keys"), jwt_keys: ringOf("jwt_keys") };
}

/** Returns an empty object if the text is not a JSON object. The parser's own error would quote secrets. */
function parsedObject(text: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}

/** Returns the folder's secrets, and creates them if there are none; `created` tells which. */
export function initSecrets(folder: string): { secrets: Secrets; created: boolean } {
  const existing = readSecrets(folder);
  if (existing) return { secrets: existing, created: false };
  const secrets = generateSecrets();
  writeSecrets(folder, secrets);
  return { secrets, created: true };
}

/** Puts a new key first in the ring `name`; the old keys still open existing values. */
export function rotateSecret(folder: string, name: SecretName): Secrets {
  const secrets = readSecrets(folder);
  if (!secrets)
    throw new AppError(
      "not_found",
      "secrets_missing",
      `${secretsPath(folder)} doesn't exist: run \`argosy secrets init\`.`,
    );
  const rotated = {
    ...secrets,
    [name]: formatKeyRing([generateKey(), ...parseKeyRing(name, secrets[name])]),
  };
  writeSecrets(folder, rotated);
  return rotated;
}

/** Returns the ring with its ids only; the first is the one in use. */
export const maskedSecret = (ring: string): string =>
  parseKeyRing("secret", ring)
    .map(({ kid }) => `${kid}:********`)
    .join(",");

/** Writes the secrets atomically, also if the power fails: a new file, synced to disk, replaces the old one. */
function writeSecrets(folder: string, secrets: Secrets): void {
  const path = secretsPath(folder);
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, `${JSON.stringify(secrets, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  const directory = openSync(folder, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
