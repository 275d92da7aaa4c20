import type { Problem } from "../../kit/app-error.ts";
import { dotted, type Path } from "../fault.ts";

/** The parts of an agent's spec that refer to other agents. */
export interface AgentLinks {
  chain?: { max_depth: number; on_complete: readonly { agent: string; on_error: string }[] } | undefined;
  tools: readonly { type: string; name?: string; config?: unknown }[];
}

/** An agent with its references to others; a manifest is one. */
export interface LinkedAgent {
  metadata: { name: string };
  spec: AgentLinks & { knowledge?: { pipeline?: string } | undefined };
}

/** A fault of an agent that depends on the other loaded agents. */
export interface ReferenceProblem {
  agent: string;
  problem: Problem;
}

/** A place in a manifest that names another agent. */
export interface Reference {
  name: string;
  path: Path;
}

/** The length of an agent's longest chain: its number of links, or infinity for a cycle; `next` is its first step. */
type Reach = { links: number; next?: string };

/**
 * Checks the chains of agents that are loaded together: every link leads to one of them, there are no cycles, and no chain is longer than
 * its agent's `max_depth`. Faults are in the agents' order.
 */
export function checkChains(agents: readonly LinkedAgent[]): ReferenceProblem[] {
  const byName = new Map(agents.map((agent) => [agent.metadata.name, agent]));
  const reaches = reachesOf(byName);
  return agents.flatMap((agent) => {
    const problems = missingAgents(agent, targetsOf(agent), byName);
    const reach = reaches.get(agent.metadata.name);
    const depthMax = agent.spec.chain?.max_depth;
    if (reach === undefined || depthMax === undefined) return problems;
    const way = () => wayFrom(agent.metadata.name, reaches).join(" → ");
    if (reach.links === Number.POSITIVE_INFINITY) {
      problems.push(referenceProblem(agent, ["spec", "chain", "on_complete"], `leads in a cycle: ${way()}`));
    } else if (reach.links > depthMax) {
      problems.push(
        referenceProblem(
          agent,
          ["spec", "chain", "max_depth"],
          `is exceeded, the chain is ${reach.links} deep: ${way()}`,
        ),
      );
    }
    return problems;
  });
}

/** Returns the agents that a chain may lead to: its links and the fallbacks for failed agents. */
export function targetsOf(agent: LinkedAgent): Reference[] {
  return (agent.spec.chain?.on_complete ?? []).flatMap((link, index) => {
    const path = ["spec", "chain", "on_complete", index];
    const targets: Reference[] = [{ name: link.agent, path: [...path, "agent"] }];
    if (link.on_error !== "stop" && link.on_error !== "continue") {
      targets.push({ name: link.on_error, path: [...path, "on_error"] });
    }
    return targets;
  });
}

/** Returns the agents that an agent may call as tools. */
export function agentToolsOf({ spec }: LinkedAgent): Reference[] {
  return spec.tools.flatMap(({ type, config }, index) =>
    type === "agent"
      ? [{ name: (config as { agent: string }).agent, path: ["spec", "tools", index, "config", "agent"] }]
      : [],
  );
}

/** Returns only the parts of a manifest that refer to other agents. */
export function linksOf({ spec: { chain, tools } }: LinkedAgent): AgentLinks {
  const toAgents = tools.filter(({ type }) => type === "agent");
  return {
    ...(chain === undefined
      ? {}
      : {
          chain: {
            max_depth: chain.max_depth,
            on_complete: chain.on_complete.map(({ agent, on_error }) => ({ agent, on_error })),
          },
        }),
    tools: toAgents.map(({ type, config }) => ({
      type,
      config: { agent: (config as { agent: string }).agent },
    })),
  };
}

/** Computes the reach of every agent with a depth-first walk that visits each agent once. An agent that is still open closes a cycle. */
function reachesOf(byName: ReadonlyMap<string, LinkedAgent>): Map<string, Reach> {
  const reaches = new Map<string, Reach>();
  const open = new Set<string>();
  const walk = (agent: LinkedAgent): Reach => {
    const name = agent.metadata.name;
    if (open.has(name)) return { links: Number.POSITIVE_INFINITY };
    const known = reaches.get(name);
    if (known !== undefined) return known;
    open.add(name);
    let reach: Reach = { links: 0 };
    for (const target of targetsOf(agent)) {
      const next = byName.get(target.name);
      if (next === undefined) continue;
      const links = walk(next).links + 1;
      if (links > reach.links) reach = { links, next: target.name };
    }
    open.delete(name);
    reaches.set(name, reach);
    return reach;
  };
  for (const agent of byName.values()) walk(agent);
  return reaches;
}

/** Returns the longest way from an agent; a cycle is shown up to the first repeated agent. */
function wayFrom(name: string, reaches: ReadonlyMap<string, Reach>): string[] {
  const way: string[] = [];
  let at: string | undefined = name;
  while (at !== undefined) {
    const again = way.includes(at);
    way.push(at);
    at = again ? undefined : reaches.get(at)?.next;
  }
  return way;
}

/** Returns a problem for each reference to an agent that is not loaded. */
export function missingAgents(
  agent: LinkedAgent,
  references: readonly Reference[],
  present: ReadonlyMap<string, unknown>,
): ReferenceProblem[] {
  return references
    .filter(({ name }) => !present.has(name))
    .map(({ name, path }) => referenceProblem(agent, path, `is not a loaded agent: ${name}`));
}

export function referenceProblem(agent: LinkedAgent, path: Path, message: string): ReferenceProblem {
  return { agent: agent.metadata.name, problem: { path: dotted(path), message } };
}
