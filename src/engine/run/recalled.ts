import type { Episode } from "../memory/episodic-memory.ts";
import type { SemanticRecord } from "../memory/semantic-memory.ts";
import type { Passage } from "../tools/rag/agent-knowledge.ts";

/** Items that an agent found before it answers, best first in each list. */
export interface Recalled {
  memories: readonly SemanticRecord[];
  episodes: readonly Episode[];
  passages: readonly Passage[];
}

/** Empty result for an agent without sources. */
export const nothingRecalled: Recalled = { memories: [], episodes: [], passages: [] };
