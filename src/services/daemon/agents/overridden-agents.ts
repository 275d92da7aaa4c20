import type { RunOverride } from "../../../contracts/daemon/runs/run-override.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";

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
  const kept = new Map<string, { agent: RunnableAgent; made: RunnableAgent }>();
  return {
    of(agent, override) {
      const key = JSON.stringify([agent.name, Object.entries(override).sort(([a], [b]) => (a < b ? -1 : 1))]);
      const known = kept.get(key);
      kept.delete(key);
      const made = known?.agent === agent ? known.made : build(agent, override);
      kept.set(key, { agent, made });
      const [oldest] = kept.keys();
      if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
      return made;
    },
  };
}
