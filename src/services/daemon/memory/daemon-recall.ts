import type { EpisodicMemory } from "../../../engine/memory/long-term-memory.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { StoredEpisodes } from "./episodes/stored-episodes.ts";
import type { SemanticMemories } from "./semantic/semantic-memories.ts";
import type { StoredTexts } from "./semantic/stored-texts.ts";

/** Semantic and episodic memories of agents. */
export interface DaemonRecall {
  semantic: SemanticMemories;
  /** Returns the API's operations on a memory; undefined for a memory that was not created here. */
  episodesOf(memory: EpisodicMemory): StoredEpisodes | undefined;
}

export interface RecallDeps {
  catalog: AgentCatalog;
  recall: DaemonRecall;
}

/** Returns an agent's semantic memory; undefined if it has none. Throws like `getLoaded`. */
export async function findTexts(
  { catalog, recall }: RecallDeps,
  agent: string,
): Promise<StoredTexts | undefined> {
  const memory = (await catalog.getLoaded(agent)).recall?.semantic;
  return memory && recall.semantic.textsOf(memory);
}

/** Like `findTexts`, but throws AppError `no_semantic_memory` (404) if the agent has none. */
export async function getTexts(deps: RecallDeps, agent: string): Promise<StoredTexts> {
  return (await findTexts(deps, agent)) ?? missing(agent, "semantic");
}

/** Returns an agent's episodic memory; undefined if it has none. Throws like `getLoaded`. */
export async function findEpisodes(
  { catalog, recall }: RecallDeps,
  agent: string,
): Promise<StoredEpisodes | undefined> {
  const memory = (await catalog.getLoaded(agent)).recall?.episodic;
  return memory && recall.episodesOf(memory);
}

/** Like `findEpisodes`, but throws AppError `no_episodic_memory` (404) if the agent has none. */
export async function getEpisodes(deps: RecallDeps, agent: string): Promise<StoredEpisodes> {
  return (await findEpisodes(deps, agent)) ?? missing(agent, "episodic");
}

/**
 * Runs a write to an agent's memory that a caller requested. Throws AppError `agent_not_found` (404) if the agent is deleted at the same
 * time, so that nothing is stored for a later agent of its name.
 */
export async function writeMemory<T extends NonNullable<unknown>>(
  { catalog }: RecallDeps,
  agent: string,
  write: () => Promise<T>,
): Promise<T> {
  const { whileAlive } = await catalog.getLoaded(agent);
  if (whileAlive === undefined) return write();
  const written = await whileAlive(write);
  if (written === undefined)
    throw new AppError("not_found", "agent_not_found", `Agent ${agent} is being deleted.`);
  return written;
}

function missing(agent: string, kind: "semantic" | "episodic"): never {
  throw new AppError("not_found", `no_${kind}_memory`, `Agent ${agent} has no ${kind} memory.`, {
    details: { hint: `Declare spec.memory.${kind} in its manifest; {} uses the defaults.` },
  });
}
