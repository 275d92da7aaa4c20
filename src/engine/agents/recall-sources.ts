import type { AgentManifest } from "../../manifest/agent/agent.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import type { EpisodicMemory, SemanticMemory } from "../memory/long-term-memory.ts";
import type { AgentKnowledge, KnowledgeBases } from "../tools/rag/agent-knowledge.ts";

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

type Memory = AgentManifest["spec"]["memory"];
export type SemanticSettings = NonNullable<Memory["semantic"]>;
export type EpisodicSettings = NonNullable<Memory["episodic"]>;

/**
 * Builds the memories that manifests declare; nothing is opened or called before a run needs it. Both functions throw AppError
 * `invalid_manifest`, with paths as in the manifest, for settings that can't be used.
 */
export interface RecallParts {
  semanticOf(settings: SemanticSettings): SemanticMemory;
  episodicOf(settings: EpisodicSettings): EpisodicMemory;
}

/**
 * The memories and documents that the manifest declares in addition to conversations; undefined if there are none. Throws as the parts do.
 */
export function buildRecall(
  { spec }: AgentManifest,
  parts: RecallParts | undefined,
  bases: KnowledgeBases | undefined,
): RecallSources | undefined {
  const { memory, knowledge } = spec;
  if (!memory.semantic && !memory.episodic && !knowledge) return undefined;
  return {
    semantic: memory.semantic && needed(parts, "spec.memory.semantic").semanticOf(memory.semantic),
    episodic: memory.episodic && needed(parts, "spec.memory.episodic").episodicOf(memory.episodic),
    knowledge: knowledge && bindKnowledge(knowledge, needed(bases, "spec.knowledge")),
  };
}

function bindKnowledge(
  { pipeline, top_k }: NonNullable<AgentManifest["spec"]["knowledge"]>,
  bases: KnowledgeBases,
): RecallSources["knowledge"] {
  return { pipeline, topK: top_k, find: (tenant) => bases.pipeline(tenant, pipeline) };
}

function needed<T>(part: T | undefined, path: string): T {
  if (part !== undefined) return part;
  throw invalidManifest([{ path, message: "can't be honoured here: this process keeps no vectors" }]);
}
