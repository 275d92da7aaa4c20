import type { EpisodicMemory } from "../../../engine/memory/episodic-memory.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { StoredEpisodes } from "./episodes/stored-episodes.ts";
import type { SemanticMemories } from "./semantic/semantic-memories.ts";
import type { StoredTexts } from "./semantic/stored-texts.ts";

/** What agents remember beside their conversations. */
export interface DaemonRecall {
  semantic: SemanticMemories;
  /** What the API may do to a memory; undefined for one that wasn't made here. */
  episodesOf(memory: EpisodicMemory): StoredEpisodes | undefined;
}

interface Deps {
  catalog: AgentCatalog;
  recall: DaemonRecall;
}

/** An agent's semantic memory; undefined when it has none. Throws as `getLoaded`. */
export function findTexts({ catalog, recall }: Deps, agent: string): StoredTexts | undefined {
  const memory = catalog.getLoaded(agent).recall?.semantic;
  return memory && recall.semantic.textsOf(memory);
}

/** As `findTexts`; throws AppError `no_semantic_memory` (404) when the agent has none. */
export function getTexts(deps: Deps, agent: string): StoredTexts {
  return findTexts(deps, agent) ?? missing(agent, "semantic");
}

/** An agent's episodic memory; undefined when it has none. Throws as `getLoaded`. */
export function findEpisodes({ catalog, recall }: Deps, agent: string): StoredEpisodes | undefined {
  const memory = catalog.getLoaded(agent).recall?.episodic;
  return memory && recall.episodesOf(memory);
}

/** As `findEpisodes`; throws AppError `no_episodic_memory` (404) when the agent has none. */
export function getEpisodes(deps: Deps, agent: string): StoredEpisodes {
  return findEpisodes(deps, agent) ?? missing(agent, "episodic");
}

function missing(agent: string, kind: "semantic" | "episodic"): never {
  throw new AppError("not_found", `no_${kind}_memory`, `Agent ${agent} has no ${kind} memory.`, {
    details: { hint: `Declare spec.memory.${kind} in its manifest; {} takes the defaults.` },
  });
}
