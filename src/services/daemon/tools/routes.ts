import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { BuiltinToolList, ToolExecuted, ToolExecution, ToolList } from "../../../contracts/daemon/tools.ts";
import { withToolsNow } from "../../../engine/agents/live-tools.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { holdOpen } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { executeDirectly, type ToolDeps } from "./execute-directly.ts";
import type { OwnToolFiles } from "./own-tool-files.ts";

export const toolRoutes = (deps: ToolDeps) =>
  new Elysia({ prefix: "/v1/tools" })
    .use(jsonRoutes())
    .get("", async ({ query }) => listTools(deps, query.parameters === "true"), {
      query: Type.Object({
        parameters: Type.Optional(
          Type.Union([Type.Literal("true"), Type.Literal("false")], {
            description: "`true` includes the JSON Schema of each tool's input.",
          }),
        ),
      }),
      response: ToolList,
      detail: {
        tags: ["tools"],
        operationId: "listTools",
        summary: "Lists the tools of loaded agents and custom tools",
      },
    })
    .get("/builtin", async () => builtinList(deps), {
      response: BuiltinToolList,
      detail: { tags: ["tools"], operationId: "listBuiltinTools", summary: "Lists the built-in tools" },
    })
    .post(
      "/execute",
      async ({ body, request, call }) => {
        holdOpen(call, request);
        return executeDirectly(deps, body, { signal: request.signal, requestId: call.requestId });
      },
      {
        ...jsonBody(ToolExecution),
        response: ToolExecuted,
        detail: {
          tags: ["tools"],
          operationId: "executeTool",
          summary: "Runs a tool without a model",
          description:
            "Without `agent`, executes a built-in tool without configuration, or the tool of the only agent that has it. If several agents have the tool, the request fails with 400 `agent_required`, which lists them. Tools that need approval (409 `approval_required`) or that the client executes (409 `tool_of_caller`) can't be executed here. If a tool fails, the request succeeds and `output.success` is false. A tool with `mode: propose` is not executed; the call is returned in `propuestas`.",
        },
      },
    );

function builtinList({ builtinTools }: ToolDeps) {
  const tools = [...builtinTools.values()].map(({ tool: { name, description, parameters } }) => ({
    name,
    description,
    parameters,
  }));
  return { tools, count: tools.length };
}

/**
 * Lists each tool of the agents and of the workspace's own files once, with the agents that have it, and with its schema if requested. A
 * name used by tools of different types is listed once per type.
 */
function listTools(
  { catalog, ownTools }: { catalog: AgentCatalog; ownTools: OwnToolFiles },
  withParameters = false,
): ToolList {
  const tools = new Map<string, ToolList["tools"][number]>();
  for (const { name, description, parameters, writes, file } of ownTools.list()) {
    const listed = { name, type: "internal", description, agents: [], file, writes };
    tools.set(`internal ${name}`, { ...listed, ...(withParameters && { parameters }) });
  }
  for (const { agent } of catalog.list()) {
    for (const { tool } of agent === undefined ? [] : withToolsNow(agent).tools.values()) {
      const key = `${tool.type} ${tool.name}`;
      const listed = tools.get(key) ?? {
        name: tool.name,
        type: tool.type,
        description: tool.description,
        agents: [],
        ...(withParameters && { parameters: tool.parameters }),
      };
      if (agent !== undefined) listed.agents.push(agent.name);
      tools.set(key, listed);
    }
  }
  const faults = ownTools.faults();
  return {
    tools: [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...(faults.length > 0 && { broken_files: faults }),
  };
}
