import { randomBytes } from "node:crypto";
import { secretMask } from "../contracts/gateway/channels.ts";
import { valueAt, withValueAt } from "./value-at-path.ts";
import type { Declared, Present, Recorded } from "./workspace-kind.ts";

/** A secret that was applied. It is recognized, but can't be read. */
export interface SecretRecord {
  salt: string;
  /** SHA-256 of salt and secret. */
  hash: string;
  /** As the gateway shows it. */
  mask: string;
}

/** Value shown for a secret that isn't the one of the variable. */
export const otherSecret = "another value";

export const secretReference = (variable: string): string => `env:${variable}`;

const hashOf = (salt: string, secret: string): string =>
  new Bun.CryptoHasher("sha256").update(`${salt}\n${secret}`).digest("hex");

export function recordSecrets(secrets: ReadonlyMap<string, string>): Record<string, SecretRecord> {
  const record = (secret: string): SecretRecord => {
    const salt = randomBytes(16).toString("hex");
    return { salt, hash: hashOf(salt, secret), mask: maskOf(secret) };
  };
  return Object.fromEntries([...secrets].map(([path, secret]) => [path, record(secret)]));
}

/**
 * Returns a present config with its secrets as far as they are known: the declared reference if the secret is that of the variable,
 * otherwise `another value`. The gateway shows only last characters, so the record of the last apply decides between secrets that end alike.
 */
export function withSecrets(
  present: Present,
  { config, secrets }: Pick<Declared, "config" | "secrets">,
  recorded: Recorded | undefined,
): Record<string, unknown> {
  let presentConfig = present.config;
  for (const [path, mask] of present.masks) {
    const secret = secrets.get(path);
    const known = recorded?.secrets[path];
    const isSame =
      secret !== undefined &&
      mask === maskOf(secret) &&
      (known === undefined || known.hash === hashOf(known.salt, secret));
    presentConfig = withValueAt(presentConfig, path, isSame ? valueAt(config, path) : otherSecret);
  }
  return presentConfig;
}

/** The same for a comparison with the last apply. */
export function withRecordedSecrets(
  present: Present,
  { config, secrets }: Recorded,
): Record<string, unknown> {
  let presentConfig = present.config;
  for (const [path, mask] of present.masks) {
    const isSame = secrets[path]?.mask === mask;
    presentConfig = withValueAt(presentConfig, path, isSame ? valueAt(config, path) : otherSecret);
  }
  return presentConfig;
}

/** A secret as the gateway shows it. */
const maskOf = (secret: string): string =>
  secret.length < 8 ? secretMask : `${secretMask}${secret.slice(-4)}`;
