import type { Episode } from "../memory/episodic-memory.ts";
import type { SemanticRecord } from "../memory/semantic-memory.ts";
import type { Passage } from "../tools/rag/agent-knowledge.ts";

/** What an agent found before it answers, the best of each first. */
export interface Recalled {
  memories: readonly SemanticRecord[];
  episodes: readonly Episode[];
  passages: readonly Passage[];
}

/** What an agent finds that declares nothing to look into. */
export const nothingRecalled: Recalled = { memories: [], episodes: [], passages: [] };
