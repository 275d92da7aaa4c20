import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { BuiltinToolList, ToolExecuted, ToolExecution, ToolList } from "../../../contracts/daemon/tools.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { holdOpen } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { DaemonDeps } from "../deps.ts";
import { executeDirectly } from "./execute-directly.ts";
import { listTools } from "./list-tools.ts";

export const toolRoutes = (deps: DaemonDeps) =>
  new Elysia({ prefix: "/v1/tools" })
    .use(jsonRoutes())
    .get("", async ({ query }) => listTools(deps, query.parameters === "true"), {
      query: Type.Object({
        parameters: Type.Optional(
          Type.Union([Type.Literal("true"), Type.Literal("false")], {
            description: "`true`: also the JSON Schema of each tool's input.",
          }),
        ),
      }),
      response: ToolList,
      detail: {
        tags: ["tools"],
        operationId: "listTools",
        summary: "The tools of the loaded agents, and custom tools",
      },
    })
    .get("/builtin", async () => builtinList(deps), {
      response: BuiltinToolList,
      detail: { tags: ["tools"], operationId: "listBuiltinTools", summary: "The built-in tools" },
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
            "Without `agent`: a built-in tool without configuration, or the tool of the one agent that has it (400 `agent_required` names them where there are more). A tool that waits for a person (409 `approval_required`) or is carried out by the caller (409 `tool_of_caller`) can't be executed here. A tool that fails is no error: `output.success` is false. One that only proposes (`mode: propose`) is not executed; the call stands in `propuestas`.",
        },
      },
    );

function builtinList({ builtinTools }: DaemonDeps) {
  const tools = [...builtinTools.values()].map(({ tool: { name, description, parameters } }) => ({
    name,
    description,
    parameters,
  }));
  return { tools, count: tools.length };
}
