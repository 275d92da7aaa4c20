import { learnNamed, learnSecret } from "../kit/learn-secret.ts";
import type { SecretRegistry } from "../kit/secret-registry.ts";
import type { Variables } from "../manifest/variables.ts";
import type { Config } from "./config.ts";

/**
 * What tools read of the environment by name; empty counts as not set. From then on the value is masked wherever it would be
 * written, and so is what makes a secret of a URL: what follows its host.
 */
export function toolSecrets({
  variable,
  knownSecrets,
}: Pick<Config, "variable" | "knownSecrets">): (name: string) => string | undefined {
  return (name) => {
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

/** Variables as files read them: what their name or their look says is secret is masked from then on. */
export function fileVariables(variable: Variables, secrets: SecretRegistry): Variables {
  return learning(variable, (name, value) => learnNamed(name, value, secrets));
}

/** Variables that agents and providers name as their keys: each is masked from then on. */
export function keyVariables(variable: Variables, secrets: SecretRegistry): Variables {
  return learning(variable, (_name, value) => learnSecret(value, secrets));
}

/** Files look at their variables again and again: a value that was seen is not looked at twice. */
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
