import { Elysia } from "elysia";
import { bodyBytesDefault } from "../../../http/bodies/request-body.ts";
import { rawRoutes } from "../../../http/route-plugins.ts";
import type { McpEndpoint } from "./endpoint.ts";
import type { McpDeps } from "./rpc-context.ts";

/** The Model Context Protocol over Streamable HTTP: agents as tools, agents and traces as resources. */
export const mcpRoutes = (deps: McpDeps) => {
  let loaded: Promise<McpEndpoint> | undefined;
  // Loaded at the first request, because the SDK takes memory that a daemon without MCP clients doesn't need.
  const endpoint = () => {
    loaded ??= import("./endpoint.ts").then(({ createEndpoint }) => createEndpoint(deps));
    return loaded;
  };
  return new Elysia()
    .use(rawRoutes(bodyBytesDefault))
    .post(
      "/mcp",
      async ({ body, request, call }) =>
        (await endpoint()).post(body as Uint8Array | undefined, { request, call }),
      {
        detail: {
          tags: ["mcp"],
          operationId: "sendMcpMessage",
          summary: "The Model Context Protocol (Streamable HTTP)",
          description:
            "Accepts JSON-RPC 2.0 messages of MCP. `initialize` starts a session with the ID in `Mcp-Session-Id`. Each ready agent is available as the tool `agent_<name>`.",
        },
      },
    )
    .get("/mcp", async ({ request, call }) => (await endpoint()).listen({ request, call }), {
      detail: {
        tags: ["mcp"],
        operationId: "listenToMcp",
        summary: "Streams the notifications of an MCP session as server-sent events",
      },
    })
    .delete("/mcp", async ({ request, call }) => (await endpoint()).end({ request, call }), {
      detail: { tags: ["mcp"], operationId: "endMcpSession", summary: "Ends an MCP session" },
    });
};
