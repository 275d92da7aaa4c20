import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import { isTrusted } from "../../../manifest/senders/sender.ts";

const known = new WeakMap<RunnableAgent, string>();

/**
 * SHA-256 of what decides an agent's answers: its manifest with the values of variables and all defaults, so prompts, tools and guardrails,
 * and the models it was built with. The release gate and the triggers are left out, so that a result stays valid when only they change.
 */
export function fingerprintOf(agent: RunnableAgent): string {
  const made = known.get(agent);
  if (made !== undefined) return made;
  const { release: _gate, triggers: _triggers, ...spec } = agent.manifest.spec;
  const models = agent.candidates.map(({ provider, model }) => `${provider}/${model}`);
  const skills = agent.skills.map(({ hash }) => hash);
  // What the owner sent is read from a file after a restart, and on other nodes.
  const sender = isTrusted(agent.sender) ? "file" : agent.sender;
  const decisive = { metadata: agent.manifest.metadata, spec, models, sender };
  const fingerprint = checksumOf(skills.length === 0 ? decisive : { ...decisive, skills });
  known.set(agent, fingerprint);
  return fingerprint;
}
