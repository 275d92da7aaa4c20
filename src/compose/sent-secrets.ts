import type { AgentParts } from "../engine/run/build-agent.ts";
import { learnSecretsIn } from "../kit/learn-secret.ts";
import { type SecretLearner, SecretRegistry } from "../kit/secret-registry.ts";
import type { AgentManifest } from "../manifest/agent.ts";

/** Text that nobody else writes by chance: 16 characters and more, lower and upper case and digits mixed. */
const random = /^(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[\w+=~-]{16,}$/;

/**
 * Takes what strangers name as a secret. Everyone's logs and answers are masked by `known`, so that only what looks random gets
 * there: a stranger could otherwise mask words that others need to read.
 */
export function strangersSecrets(known: SecretRegistry): SecretLearner {
  return {
    add(secret) {
      if (random.test(secret)) known.add(secret);
    },
  };
}

/** The parts of one agent that a stranger sent: all that its manifest names as a secret is masked in its own runs. */
export function withOwnSecrets<Parts extends AgentParts>(
  parts: Parts,
  manifest: AgentManifest,
  known: SecretRegistry,
): Parts {
  const secrets = new SecretRegistry();
  const shared = strangersSecrets(known);
  const conceal = (secret: string) => {
    secrets.add(secret);
    shared.add(secret);
  };
  learnSecretsIn(manifest.spec, { add: conceal });
  return { ...parts, secrets, tools: { ...parts.tools, conceal } };
}
