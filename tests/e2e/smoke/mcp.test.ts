import { expect } from "bun:test";
import { agentFile } from "../../support/daemon.ts";
import { executableTest, startServer } from "../../support/executable.ts";
import { connectMcp } from "../../support/mcp-client.ts";
import { startModelServer } from "../../support/model-server.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { writeFiles } from "../../support/write-files.ts";

/** A workspace with one agent, `helper`. */
async function workspace() {
  const folder = temporaryFolder();
  const model = await startModelServer([{ text: "Hello there." }]);
  writeFiles(folder.path, {
    "providers.yaml": JSON.stringify({ providers: { lab: { type: "vllm", endpoint: model.url } } }),
    "agents/helper.agent.yaml": agentFile("helper"),
  });
  return {
    path: folder.path,
    async [Symbol.asyncDispose]() {
      await model.stop();
      folder[Symbol.dispose]();
    },
  };
}

executableTest("an MCP client lists, calls and reads", async () => {
  await using place = await workspace();
  await using server = await startServer(place.path);
  await using mcp = await connectMcp(server.url);
  const { tools } = await mcp.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["agent_helper"]);
  const told: unknown[] = [];
  const result = await mcp.client.callTool({ name: "agent_helper", arguments: { query: "hi" } }, undefined, {
    onprogress: ({ message }) => void told.push(message),
  });
  expect(result.content).toEqual([{ type: "text", text: "Hello there." }]);
  expect(told.join("")).toBe("Hello there.");
  const { contents } = await mcp.client.readResource({ uri: "argosy://agents/helper" });
  expect(contents).toHaveLength(1);
});
