import type { AgentParts } from "../../../engine/agents/build-agent.ts";
import { learnSecretsIn } from "../../../kit/secrets/learn-secret.ts";
import { type SecretLearner, SecretRegistry } from "../../../kit/secrets/secret-registry.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";

/** Matches text that hardly occurs by chance: at least 16 characters with lower case, upper case and digits. */
const random = /^(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[\w+=~-]{16,}$/;

/**
 * Registers the secrets that untrusted senders name. `known` masks everyone's logs and answers, so it only gets random-looking text. Otherwise a
 * sender could mask words that others need to read.
 */
export function untrustedSecrets(known: SecretRegistry): SecretLearner {
  return {
    add(secret) {
      if (random.test(secret)) known.add(secret);
    },
  };
}

/** Adds to the parts of an untrusted sender's agent a registry for the secrets in its manifest, which are masked in its own runs. */
export function withOwnSecrets<Parts extends AgentParts>(
  parts: Parts,
  manifest: AgentManifest,
  known: SecretRegistry,
): Parts {
  const secrets = new SecretRegistry();
  const shared = untrustedSecrets(known);
  const conceal = (secret: string) => {
    secrets.add(secret);
    shared.add(secret);
  };
  learnSecretsIn(manifest.spec, { add: conceal });
  return { ...parts, secrets, tools: { ...parts.tools, conceal } };
}
