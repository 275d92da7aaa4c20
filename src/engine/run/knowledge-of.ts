import type { ToolContext } from "../tools/tool.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

/** The pipeline that an agent's tools search and add to, as a part of what they are told; nothing when it has none now. */
export function knowledgeOf(agent: RunnableAgent, tenant: string): Pick<ToolContext, "knowledge"> {
  const knowledge = agent.recall?.knowledge?.find(tenant);
  return knowledge === undefined ? {} : { knowledge };
}
