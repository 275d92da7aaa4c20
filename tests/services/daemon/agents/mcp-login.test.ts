import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile, startDaemon } from "../../../support/daemon.ts";
import { startOAuthServer } from "../../../support/staged-oauth.ts";

const remote = (url: string) => ({
  name: "lab",
  type: "mcp",
  config: { transport: "http", url, allow_localhost: true },
});
const agents = (...tools: object[]) => ({ "helper.agent.yaml": agentFile("helper", { tools }) });
const login = "/v1/agents/helper/mcp/lab/login";

test("a login through the API is kept sealed, and lets the agent in until it is forgotten", async () => {
  await using oauth = await startOAuthServer();
  await using daemon = await startDaemon({ agents: agents(remote(oauth.url)) });
  const body = { redirect_uri: "http://127.0.0.1:9/callback" };
  const begun = await daemon.call("POST", login, { body });
  expect(begun.status).toBe(200);
  const { searchParams } = await oauth.allow(begun.body.authorization_url);
  const { state, code } = Object.fromEntries(searchParams);
  expect(state).toBe(begun.body.state);
  const done = await daemon.call("POST", `${login}/finish`, { body: { state, code } });
  expect(done.body).toEqual({ status: "logged_in", server: "ready" });
  const { body: helper } = await daemon.call("GET", "/v1/agents/helper");
  expect(helper.mcp_servers).toMatchObject([{ name: "lab", logged_in: true }]);
  const call = { agent: "helper", tool: "lab__echo", input: {} };
  expect((await daemon.call("POST", "/v1/tools/execute", { body: call })).body.output).toEqual({
    success: true,
    data: "let in",
  });
  const file = readFileSync(join(daemon.config.dataFolder, "mcp-logins.json"), "utf8");
  for (const secret of ["access-token", "refresh-token", "argosy-of-the-test"]) {
    expect(file).not.toContain(secret);
    expect(daemon.logLines().join("\n")).not.toContain(secret);
  }
  const forgotten = await daemon.call("DELETE", login);
  expect(forgotten.body).toMatchObject({ status: "logged_out", server: "down" });
  const { body: later } = await daemon.call("GET", "/v1/agents/helper");
  expect(later.mcp_servers[0]).not.toHaveProperty("logged_in");
});

test.each([
  [
    "an agent that is not there",
    "POST",
    "/v1/agents/nobody/mcp/lab/login",
    { redirect_uri: "http://127.0.0.1:9/" },
    404,
    "agent_not_found",
  ],
  [
    "an entry that is not there",
    "POST",
    "/v1/agents/helper/mcp/other/login",
    { redirect_uri: "http://127.0.0.1:9/" },
    404,
    "mcp_server_not_found",
  ],
  [
    "a server that is a program",
    "POST",
    "/v1/agents/helper/mcp/program/login",
    { redirect_uri: "http://127.0.0.1:9/" },
    409,
    "mcp_login_needless",
  ],
  [
    "an address elsewhere",
    "POST",
    login,
    { redirect_uri: "https://example.org/" },
    400,
    "invalid_redirect_uri",
  ],
  ["no address", "POST", login, {}, 400, "invalid_request"],
  ["an answer to nothing", "POST", `${login}/finish`, { state: "x", code: "y" }, 502, "mcp_login_failed"],
])("%s is refused", async (_, method, path, body, status, error) => {
  const program = { name: "program", type: "mcp", config: { transport: "stdio", command: "true" } };
  await using daemon = await startDaemon({ agents: agents(remote("http://127.0.0.1:9/mcp"), program) });
  const answer = await daemon.call(method, path, { body });
  expect(answer.status).toBe(status);
  expect(answer.body.error).toBe(error);
});
