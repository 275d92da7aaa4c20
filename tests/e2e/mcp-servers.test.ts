import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile } from "../support/daemon.ts";
import { argosy, executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { modules, stagedCommand, until } from "../support/mcp-servers.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const procMissing = existsSync("/proc/self/task") ? undefined : "no /proc";

const everything = {
  command: process.execPath,
  args: [join(modules, "@modelcontextprotocol/server-everything/dist/index.js"), "stdio"],
};

const rehearsed = (config: object) =>
  agentFile("helper", {
    model: { primary: { provider: "rehearsal", model: "any" } },
    tools: [{ name: "lab", type: "mcp", config: { transport: "stdio", ...config } }],
  });

const execute = async (server: ServerProcess, tool: string, input: object) => {
  const { body } = await server.call("POST", "/v1/tools/execute", { body: { agent: "helper", tool, input } });
  return body.output;
};

/** Counts the processes that have this text among their arguments. */
function processesWith(text: string): number {
  return Number(Bun.spawnSync(["pgrep", "-fc", text]).stdout.toString());
}

executableTest("the executable lists and calls the tools of a reference server", async () => {
  using folder = temporaryFolder();
  writeFiles(folder.path, { "agents/helper.agent.yaml": rehearsed(everything) });
  await using server = await startServer(folder.path);
  expect(await execute(server, "lab__echo", { message: "hello" })).toEqual({
    success: true,
    data: "Echo: hello",
  });
  const { body } = await server.call("GET", "/v1/tools");
  expect(body.tools.length).toBeGreaterThanOrEqual(12);
  const doctor = await server.call("GET", "/v1/system/doctor");
  expect(doctor.text).toContain("1 of 1 MCP servers are connected.");
});

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  executableTest(
    `${signal}: nothing is left of servers that fork, leave their group and ignore SIGTERM`,
    async () => {
      using folder = temporaryFolder();
      const seconds = String(50_000 + process.pid + (signal === "SIGKILL" ? 0 : 10_000_000));
      writeFiles(folder.path, {
        "agents/helper.agent.yaml": rehearsed(stagedCommand("stubborn", seconds)),
        "agents/other.agent.yaml": rehearsed(stagedCommand("forks", seconds)).replace('"helper"', '"other"'),
      });
      await using server = await startServer(folder.path);
      expect(await execute(server, "lab__echo", { text: "hi" })).toEqual({ success: true, data: "hi" });
      // Both servers, and three sleeping processes for each.
      await until(() => processesWith(seconds) === 8);
      server.kill(signal);
      await server.exited;
      await until(() => processesWith(seconds) === 0);
    },
    procMissing,
  );
}

executableTest("a server sees nothing of the daemon's environment", async () => {
  using folder = temporaryFolder();
  writeFiles(folder.path, {
    "agents/helper.agent.yaml": rehearsed({ ...stagedCommand("environment"), env: { DECLARED: "yes" } }),
  });
  await using server = await startServer(folder.path, { env: { CANARY_SECRET: "canary-of-the-daemon" } });
  const output = await execute(server, "lab__echo", { text: "hi" });
  expect(Object.keys(JSON.parse(output.data)).sort()).toEqual(["DECLARED", "PATH"]);
});

executableTest("a command without a daemon ends its servers with it", async () => {
  using folder = temporaryFolder();
  const mark = `alone-${process.pid}`;
  writeFiles(folder.path, { "agents/helper.agent.yaml": rehearsed(stagedCommand("plain", mark)) });
  const { code } = await argosy(folder.path, ["run", "helper", "hello"]);
  expect(code).toBe(0);
  await until(() => processesWith(mark) === 0);
  expect(readFileSync(join(folder.path, ".argosy/mcp-tools.json"), "utf8")).toContain("echo");
});
