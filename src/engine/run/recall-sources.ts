import type { EpisodicMemory } from "../memory/episodic-memory.ts";
import type { SemanticMemory } from "../memory/semantic-memory.ts";
import type { AgentKnowledge } from "../tools/rag/agent-knowledge.ts";

/** What an agent looks into before each answer, beside its conversation; what it doesn't declare is undefined. */
export interface RecallSources {
  semantic: SemanticMemory | undefined;
  episodic: EpisodicMemory | undefined;
  knowledge: KnowledgeBinding | undefined;
}

/** `spec.knowledge`: a pipeline, by its name. */
export interface KnowledgeBinding {
  pipeline: string;
  topK: number;
  /** The pipeline as it is now; undefined while none of that name is loaded. */
  find(tenant: string): AgentKnowledge | undefined;
}
