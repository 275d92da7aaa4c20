import { Elysia } from "elysia";
import { LoginBegin, LoginBegun, LoginDone, LoginFinish } from "../../../contracts/daemon/mcp-logins.ts";
import type { McpServer } from "../../../engine/tools/mcp/mcp-server.ts";
import type { ServerLogin } from "../../../engine/tools/mcp/oauth/server-login.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AgentCatalog } from "./agent-catalog.ts";

const tags = ["agents"];

/** Routes that log in to the MCP servers of an agent; `argosy mcp login` uses them. */
export const mcpLoginRoutes = ({ catalog }: { catalog: AgentCatalog }) => {
  const find = async (agent: string, entry: string): Promise<{ server: McpServer; login: ServerLogin }> => {
    const sources = (await catalog.getLoaded(agent)).live?.sources ?? [];
    const server = sources.find(({ source }) => source.entry === entry)?.source.mcp?.server;
    if (server === undefined) {
      throw new AppError(
        "not_found",
        "mcp_server_not_found",
        `Agent ${agent} has no MCP server of this name.`,
        {
          details: { hint: `GET /v1/agents/${agent} lists its servers.` },
        },
      );
    }
    if (server.login !== undefined) return { server, login: server.login };
    throw new AppError(
      "conflict",
      "mcp_login_needless",
      "An MCP server that runs as a local program needs no sign-in.",
    );
  };
  const changed = async (server: McpServer, status: LoginDone["status"]): Promise<LoginDone> => {
    await server.reconnect();
    const { state, fault } = server.status();
    return { status, server: state, ...(fault === undefined ? {} : { message: fault }) };
  };
  return new Elysia({ prefix: "/v1/agents/:name/mcp/:entry/login" })
    .use(jsonRoutes())
    .post(
      "",
      async ({ params, body }) => {
        const { login } = await find(params.name, params.entry);
        const { authorizationUrl, state } = await login.begin(body.redirect_uri);
        return { authorization_url: authorizationUrl, state };
      },
      {
        ...jsonBody(LoginBegin),
        response: LoginBegun,
        detail: { tags, operationId: "beginMcpLogin", summary: "Starts an OAuth login at an MCP server" },
      },
    )
    .post(
      "/finish",
      async ({ params, body }) => {
        const { server, login } = await find(params.name, params.entry);
        await login.finish(body);
        return changed(server, "logged_in");
      },
      {
        ...jsonBody(LoginFinish),
        response: LoginDone,
        detail: {
          tags,
          operationId: "finishMcpLogin",
          summary: "Completes an OAuth login",
        },
      },
    )
    .delete(
      "",
      async ({ params }) => {
        const { server, login } = await find(params.name, params.entry);
        login.forget();
        return changed(server, "logged_out");
      },
      {
        response: LoginDone,
        detail: { tags, operationId: "forgetMcpLogin", summary: "Deletes the login at an MCP server" },
      },
    );
};
