import type { RunOverride } from "../../../contracts/daemon/runs/run-override.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { AppError } from "../../../kit/app-error.ts";
import { LatestMap } from "../../../kit/latest-map.ts";
import { isTrusted, type Sender } from "../../../manifest/senders/sender.ts";
import type { AgentCatalog } from "./agent-catalog.ts";

/** Variants of loaded agents with another model or prompt, for single runs. */
export interface OverriddenAgents {
  /** Returns the agent with the override applied. Recent results are cached. */
  of(agent: RunnableAgent, override: RunOverride): RunnableAgent;
}

/** Enough for comparing a few variants; each entry may hold a long prompt. */
const keptMax = 32;

/**
 * Agents made by `build`, with the most recent ones cached. A reloaded agent is a different object even if its manifest is the same,
 * because its keys may differ.
 */
export function createOverriddenAgents(
  build: (agent: RunnableAgent, override: RunOverride) => RunnableAgent,
): OverriddenAgents {
  const overridden = new LatestMap<string, { agent: RunnableAgent; made: RunnableAgent }>(keptMax);
  return {
    of(agent, override) {
      const key = JSON.stringify([agent.name, Object.entries(override).sort(([a], [b]) => (a < b ? -1 : 1))]);
      const known = overridden.get(key);
      const made = known?.agent === agent ? known.made : build(agent, override);
      overridden.set(key, { agent, made });
      return made;
    },
  };
}

/**
 * Returns the agent to run, with the override applied if there is one. Throws like the catalog, or `invalid_override`. An agent of the
 * machine's owner has the owner's tools and keys, so only the owner may override its prompt or model.
 */
export function agentFor(
  { catalog, overridden }: { catalog: AgentCatalog; overridden: OverriddenAgents },
  name: string,
  override: RunOverride | undefined,
  sender: Sender,
): RunnableAgent {
  if (override === undefined) return catalog.getNow(name);
  const { version, ...changes } = override;
  const agent = version === undefined ? catalog.getNow(name) : catalog.getVersion(name, version);
  if (isTrusted(agent.sender) && !isTrusted(sender)) throw ownersAgent(name, override);
  return Object.keys(changes).length === 0 ? agent : overridden.of(agent, changes);
}

function ownersAgent(name: string, override: RunOverride): AppError {
  const message = `can't be set: ${name} belongs to this machine's owner, and only the owner may override it`;
  const problems = Object.keys(override).map((key) => ({ path: `override.${key}`, message }));
  return new AppError(
    "invalid",
    "invalid_override",
    `The override is not valid: ${problems[0]?.path} ${message}.`,
    { details: { problems, hint: "Run the agent without overrides, or send your own agent." } },
  );
}
