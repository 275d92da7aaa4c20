import type { EpisodicMemory } from "../memory/episodic-memory.ts";
import type { SemanticMemory } from "../memory/semantic-memory.ts";
import type { AgentKnowledge } from "../tools/rag/agent-knowledge.ts";

/** Sources that an agent searches before each answer, in addition to its conversation; undefined if not declared. */
export interface RecallSources {
  semantic: SemanticMemory | undefined;
  episodic: EpisodicMemory | undefined;
  knowledge: KnowledgeBinding | undefined;
}

/** `spec.knowledge`: a pipeline by its name. */
export interface KnowledgeBinding {
  pipeline: string;
  topK: number;
  /** Returns the current pipeline; undefined while none with that name is loaded. */
  find(tenant: string): AgentKnowledge | undefined;
}
