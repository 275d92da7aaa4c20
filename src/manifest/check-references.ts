import {
  agentToolsOf,
  checkChains,
  type LinkedAgent,
  missingAgents,
  type ReferenceProblem,
  referenceProblem,
  targetsOf,
} from "./check-chains.ts";

/** What agents may name beside each other. Absent: it is not looked for. */
export interface Neighbours {
  hasPipeline?: (name: string) => boolean;
  /** A tool of the workspace's `tools/` folder. */
  hasTool?: (name: string) => boolean;
  /** A connection of connections.yaml. */
  hasConnection?: (name: string) => boolean;
}

/**
 * What is wrong with agents only because of each other: chains that lead in a circle or too deep, chains and agent tools that
 * lead to an agent which is not among `agents` or is refused itself, and pipelines and custom tools that there are not. Who has a
 * problem here can't be loaded, all others can. Problems come in the agents' order.
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
        const message = `is no tool of a file in tools/ that could be loaded: ${name}`;
        problems.get(agent)?.push(referenceProblem(agent, [...at, "name"], message));
      }
      const { connection } = (config ?? {}) as { connection?: unknown };
      if (typeof connection === "string" && !hasConnection(connection)) {
        const message = `is no connection of connections.yaml: ${connection}`;
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

/** Whoever leads to a refused agent is refused too, and so on. */
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
  // The set grows while it is walked.
  for (const name of refused) {
    for (const { agent, reference } of leadsTo.get(name) ?? []) {
      if (refused.has(agent.metadata.name)) continue;
      const message = `is an agent that can't be loaded: ${name}`;
      problems.get(agent)?.push(referenceProblem(agent, reference.path, message));
      refused.add(agent.metadata.name);
    }
  }
}
