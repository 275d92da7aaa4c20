import { expect, test } from "bun:test";
import { join } from "node:path";
import { agentFile, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";
import { readToEnd } from "../../../../support/read-to-end.ts";

const folder = join(import.meta.dir, "../../../../../node_modules/@modelcontextprotocol/inspector-cli/build");

/** Runs the MCP inspector's command line against a daemon and returns its JSON output. */
async function inspect({ url }: TestDaemon, ...args: readonly string[]) {
  const child = Bun.spawn(["node", "cli.js", "--cli", `${url}/mcp`, "--transport", "http", ...args], {
    // It looks for its own package.json in the start folder.
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { stdout, stderr, code } = await readToEnd(child);
  return { code, stderr, answer: stdout === "" ? undefined : JSON.parse(stdout) };
}

test("the inspector lists and calls agents, and reads resources", async () => {
  await using daemon = await startDaemon({
    agents: { "helper.agent.yaml": agentFile("helper", { identity: { description: "Helps." } }) },
  });
  const [tools, resources] = await Promise.all([
    inspect(daemon, "--method", "tools/list"),
    inspect(daemon, "--method", "resources/list"),
  ]);
  expect(tools).toMatchObject({
    code: 0,
    answer: { tools: [{ name: "agent_helper", description: "Helps." }] },
  });
  expect(resources).toMatchObject({ code: 0, answer: { resources: [{ uri: "argosy://agents/helper" }] } });
  const called = await inspect(
    daemon,
    ...["--method", "tools/call", "--tool-name", "agent_helper"],
    ...["--tool-arg", "query=hi", "session_id=inspected"],
  );
  expect(called).toMatchObject({
    code: 0,
    answer: { content: [{ type: "text", text: "Hello there." }] },
  });
  const history = await daemon.call("GET", "/v1/memory/helper/history/inspected");
  expect(history.body.messages).toHaveLength(2);
  const read = await inspect(daemon, "--method", "resources/read", "--uri", "argosy://agents/helper");
  expect(JSON.parse(read.answer.contents[0].text)).toMatchObject({ name: "helper", status: "ready" });
});
