import type { RunOverride } from "../../../contracts/daemon/run-override.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";

/** Loaded agents with another model or prompt, for single runs. */
export interface OverriddenAgents {
  /** The agent as the override has it; the same one for the same override as long as the agent is. */
  of(agent: RunnableAgent, override: RunOverride): RunnableAgent;
}

/** Somebody who compares tries a few; each may hold a long prompt. */
const keptMax = 32;

/** Agents that `build` makes, the latest kept. An agent that was loaded anew is another one, also with the same manifest: its keys may be others. */
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
