import { AgentToolInput } from "../../../contracts/daemon/mcp.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { grammarLimits, toolSchema } from "../../../engine/models/providers/wire/tool-schemas.ts";
import { AppError } from "../../../kit/app-error.ts";
import { didYouMean } from "../../../kit/text/did-you-mean.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { RunRouter } from "../runs/run-router.ts";
import { pageOf } from "./page.ts";
import { type AnswerMethod, ListParams, readParams } from "./rpc-context.ts";
import { toolOutputSchema } from "./tool-output-schema.ts";

const prefix = "agent_";

/** What a client's model reads, on whatever server; a call is checked by the whole schema. */
const inputSchema = toolSchema(AgentToolInput, grammarLimits);

/** Agents that tools can run: those of this node, and those of others. */
interface ToolAgents {
  catalog: AgentCatalog;
  router: RunRouter | undefined;
}

/** `tools/list`: one tool for each agent that is ready, on this node or another. */
export const listAgentTools: AnswerMethod = (params, { deps }) => {
  const { items, nextCursor } = pageOf(namedTools(deps), readParams(ListParams, params).cursor);
  return {
    tools: items.map(({ tool }) => tool),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  };
};

/** Tools by the name of their agent, in order. */
function namedTools({ catalog, router }: ToolAgents): { name: string; tool: object }[] {
  const here = readyAgents(catalog).map((agent) => ({ name: agent.name, tool: presentTool(agent) }));
  const elsewhere = router?.agentsElsewhere().filter((name) => catalog.findEntry(name) === undefined) ?? [];
  if (elsewhere.length === 0) return here;
  const others = elsewhere.map((name) => ({ name, tool: presentDistantTool(name) }));
  return [...here, ...others].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the name of a tool's agent, even if the agent can't run now. Throws AppError `unknown_tool`. */
export async function agentOfTool(tool: string, { catalog, router }: ToolAgents): Promise<string> {
  const name = tool.startsWith(prefix) ? tool.slice(prefix.length) : undefined;
  if (name !== undefined && (router?.hasAgent(name) || (await catalog.findFresh(name)))) return name;
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

/** A tool for an agent of another node, of which only the name is known here. */
const presentDistantTool = (name: string): object => ({
  name: prefix + name,
  description: defaultDescription(name),
  inputSchema,
});

const defaultDescription = (name: string) => `Asks the agent ${name} and returns its answer.`;

function presentTool({ name, description, manifest, structured }: RunnableAgent): object {
  const { display_name } = manifest.spec.identity;
  return {
    name: prefix + name,
    ...(display_name === undefined ? {} : { title: display_name }),
    description: description === "" ? defaultDescription(name) : description,
    inputSchema,
    ...(structured === undefined ? {} : { outputSchema: toolOutputSchema(structured.schema.schema) }),
  };
}
