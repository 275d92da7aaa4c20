import { AgentToolInput } from "../../../contracts/daemon/mcp.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { AppError } from "../../../kit/app-error.ts";
import { didYouMean } from "../../../kit/text/did-you-mean.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { pageOf } from "./page.ts";
import { type AnswerMethod, ListParams, readParams } from "./rpc-context.ts";
import { toolOutputSchema } from "./tool-output-schema.ts";

const prefix = "agent_";

/** `tools/list`: one tool for each agent that is ready. */
export const listAgentTools: AnswerMethod = (params, { deps }) => {
  const { items, nextCursor } = pageOf(readyAgents(deps.catalog), readParams(ListParams, params).cursor);
  return { tools: items.map(presentTool), ...(nextCursor === undefined ? {} : { nextCursor }) };
};

/** Returns the name of a tool's agent, even if the agent can't run now. Throws AppError `unknown_tool`. */
export function agentOfTool(tool: string, catalog: AgentCatalog): string {
  const name = tool.startsWith(prefix) ? tool.slice(prefix.length) : undefined;
  if (name !== undefined && catalog.findEntry(name) !== undefined) return name;
  const near = didYouMean(
    tool,
    readyAgents(catalog).map((agent) => prefix + agent.name),
  );
  const hint = near === undefined ? "tools/list lists the tools." : `Did you mean ${near}?`;
  throw new AppError("invalid", "unknown_tool", `Unknown tool: ${JSON.stringify(tool.slice(0, 100))}.`, {
    details: { hint },
  });
}

/** Fingerprint that changes whenever the answer to `tools/list` changes. */
export function toolsFingerprint(catalog: AgentCatalog): string {
  return Bun.hash(JSON.stringify(readyAgents(catalog).map(presentTool))).toString(36);
}

function readyAgents(catalog: AgentCatalog): RunnableAgent[] {
  return catalog
    .list()
    .flatMap((entry) => (entry.agent && catalog.statusOf(entry) === "ready" ? [entry.agent] : []));
}

function presentTool({ name, description, manifest, structured }: RunnableAgent): object {
  const { display_name } = manifest.spec.identity;
  return {
    name: prefix + name,
    ...(display_name === undefined ? {} : { title: display_name }),
    description: description === "" ? `Asks the agent ${name} and returns its answer.` : description,
    inputSchema: AgentToolInput,
    ...(structured === undefined ? {} : { outputSchema: toolOutputSchema(structured.schema.schema) }),
  };
}
