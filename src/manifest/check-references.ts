import {
  agentToolsOf,
  checkChains,
  type LinkedAgent,
  missingAgents,
  type ReferenceProblem,
  referenceProblem,
  targetsOf,
} from "./agent/check-chains.ts";

/** Lookups for the names that agents may refer to besides other agents. Absent: not checked. */
export interface Neighbours {
  hasPipeline?: (name: string) => boolean;
  /** Returns true for a tool in the workspace's `tools/` folder. */
  hasTool?: (name: string) => boolean;
  /** Returns true for a connection of connections.yaml. */
  hasConnection?: (name: string) => boolean;
}

/**
 * Checks the references between agents. Problems are in the agents' order:
 * - chains that form a cycle or are too deep;
 * - chains and agent tools that lead to an agent which is missing from `agents` or refused itself;
 * - missing pipelines, custom tools and connections.
 *
 * An agent with a problem cannot be loaded; all others can.
 */
export function checkReferences(
  agents: readonly LinkedAgent[],
  { hasPipeline = () => true, hasTool = () => true, hasConnection = () => true }: Neighbours = {},
): ReferenceProblem[] {
  const byName = new Map(agents.map((agent) => [agent.metadata.name, agent]));
  const problems = new Map<LinkedAgent, ReferenceProblem[]>(agents.map((agent) => [agent, []]));
  for (const problem of checkChains(agents)) {
    const agent = byName.get(problem.agent);
    if (agent !== undefined) problems.get(agent)?.push(problem);
  }
  for (const agent of agents) {
    problems.get(agent)?.push(...missingAgents(agent, agentToolsOf(agent), byName));
    for (const [index, { type, name = "", config }] of agent.spec.tools.entries()) {
      const at = ["spec", "tools", index];
      if (type === "internal" && !hasTool(name)) {
        const message = `is not a tool of a file in tools/ that could be loaded: ${name}`;
        problems.get(agent)?.push(referenceProblem(agent, [...at, "name"], message));
      }
      const { connection } = (config ?? {}) as { connection?: unknown };
      if (typeof connection === "string" && !hasConnection(connection)) {
        const message = `is not a connection of connections.yaml: ${connection}`;
        problems.get(agent)?.push(referenceProblem(agent, [...at, "config", "connection"], message));
      }
    }
    const pipeline = agent.spec.knowledge?.pipeline;
    if (pipeline === undefined || hasPipeline(pipeline)) continue;
    const message = `is a pipeline that is not loaded: ${pipeline}`;
    problems.get(agent)?.push(referenceProblem(agent, ["spec", "knowledge", "pipeline"], message));
  }
  refuseFollowers(agents, problems);
  return [...problems.values()].flat();
}

/** Refuses every agent that leads to a refused agent, transitively. */
function refuseFollowers(
  agents: readonly LinkedAgent[],
  problems: ReadonlyMap<LinkedAgent, ReferenceProblem[]>,
): void {
  const refused = new Set([...problems.values()].flat().map(({ agent }) => agent));
  if (refused.size === 0) return;
  const leads = agents.flatMap((agent) =>
    [...targetsOf(agent), ...agentToolsOf(agent)].map((reference) => ({ agent, reference })),
  );
  const leadsTo = Map.groupBy(leads, ({ reference }) => reference.name);
  // The set grows during the loop.
  for (const name of refused) {
    for (const { agent, reference } of leadsTo.get(name) ?? []) {
      if (refused.has(agent.metadata.name)) continue;
      const message = `is an agent that can't be loaded: ${name}`;
      problems.get(agent)?.push(referenceProblem(agent, reference.path, message));
      refused.add(agent.metadata.name);
    }
  }
}
