import type { AgentKnowledge } from "./agent-knowledge.ts";

/** The documents that a tenant's agents may use. */
export interface KnowledgeBases {
  /** Undefined when no pipeline has that name; pipelines may change while agents are loaded, so ask when it is needed. */
  pipeline(tenant: string, name: string): AgentKnowledge | undefined;
  /** A collection by its name: with the settings of the pipeline that fills it, or else the defaults. */
  collection(tenant: string, name: string): AgentKnowledge;
}
