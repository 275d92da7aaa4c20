import type { RunOverride } from "../../../contracts/daemon/runs/run-override.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { StructuredOutput } from "../../../engine/structured/structured-output.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { agentFor, type OverriddenAgents } from "../agents/overridden-agents.ts";
import type { RunRouter } from "./run-router.ts";

/** An agent that a caller wants to run: on this node, on others, or both. */
export interface LocatedAgent {
  name: string;
  /** The agent of this node, with the override and the answer's shape applied; undefined if only other nodes have it. */
  loaded: RunnableAgent | undefined;
  /** Facts that another node needs to apply the same. */
  terms: LocatedTerms;
}

/** Differences of one run from the loaded agent, and the sender that they come from. */
export interface LocatedTerms {
  sender: Sender;
  override?: RunOverride | undefined;
  /** Shape of the answer that the caller requires. */
  format?: StructuredOutput | undefined;
}

export interface LocateDeps {
  catalog: AgentCatalog;
  overridden: OverriddenAgents;
  /** Undefined if this daemon works alone. */
  router: RunRouter | undefined;
}

/**
 * Finds the agent on this node or on others. Throws `agent_not_found` if no node has it, and otherwise like `agentFor`. An agent that is
 * paused here runs nowhere for this node's callers; one that could not be loaded here runs elsewhere.
 */
export async function locateAgent(
  deps: LocateDeps,
  name: string,
  terms: LocatedTerms,
): Promise<LocatedAgent> {
  const { catalog, router } = deps;
  const entry = catalog.findEntry(name);
  if (entry?.agent === undefined) {
    if (router?.hasAgent(name)) return { name, loaded: undefined, terms };
    await catalog.findFresh(name);
  }
  const agent = agentFor(deps, name, terms.override, terms.sender);
  return {
    name,
    loaded: terms.format === undefined ? agent : { ...agent, structured: terms.format },
    terms,
  };
}
