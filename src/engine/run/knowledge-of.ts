import type { ToolContext } from "../tools/tool.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

/** The RAG pipeline for an agent's tools, as part of their context; empty if it has none at the moment. */
export function knowledgeOf(agent: RunnableAgent, tenant: string): Pick<ToolContext, "knowledge"> {
  const knowledge = agent.recall?.knowledge?.find(tenant);
  return knowledge === undefined ? {} : { knowledge };
}
