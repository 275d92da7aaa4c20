import { learnNamed, learnSecret } from "../../../kit/secrets/learn-secret.ts";
import type { SecretRegistry } from "../../../kit/secrets/secret-registry.ts";
import type { Variables } from "../../../manifest/yaml/variables.ts";
import type { Config } from "../config.ts";

/**
 * Returns a function through which tools read environment variables; an empty variable counts as not set. Each value read is masked in all
 * output, and for a URL also the part after the host, which may be the secret. None goes to an address of a workspace that is not trusted.
 */
export function toolSecrets({
  variable,
  knownSecrets,
  programs,
}: Pick<Config, "variable" | "knownSecrets" | "programs">): (
  name: string,
  address?: string,
) => string | undefined {
  return (name, address) => {
    if (address !== undefined && programs.withholding() !== undefined) return undefined;
    const value = variable(name);
    if (value === undefined || value === "") return undefined;
    knownSecrets.add(value);
    const url = URL.parse(value);
    if (url !== null) {
      knownSecrets.add(url.href);
      if (url.pathname !== "/") knownSecrets.add(url.pathname + url.search);
    }
    return value;
  };
}

/** Variables for files. Values that are secret by their name or form are masked once read. */
export function fileVariables(variable: Variables, secrets: SecretRegistry): Variables {
  return learning(variable, (name, value) => learnNamed(name, value, secrets));
}

/** Variables that agents and providers use as keys. Each value is masked once read. */
export function keyVariables(variable: Variables, secrets: SecretRegistry): Variables {
  return learning(variable, (_name, value) => learnSecret(value, secrets));
}

/** Files read their variables repeatedly, so a known value is not checked again. */
function learning(variable: Variables, learn: (name: string, value: string) => void): Variables {
  const learned = new Map<string, string>();
  return (name) => {
    const value = variable(name);
    if (value !== undefined && value !== "" && learned.get(name) !== value) {
      learn(name, value);
      learned.set(name, value);
    }
    return value;
  };
}
