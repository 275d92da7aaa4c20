import type { AgentKnowledge } from "./agent-knowledge.ts";

/** Documents that a tenant's agents may use. */
export interface KnowledgeBases {
  /** Returns undefined if there is no pipeline with that name. Pipelines may change while agents are loaded, so call this on each use. */
  pipeline(tenant: string, name: string): AgentKnowledge | undefined;
  /** Returns a collection by name, with the settings of the pipeline that fills it, or defaults. */
  collection(tenant: string, name: string): AgentKnowledge;
}
