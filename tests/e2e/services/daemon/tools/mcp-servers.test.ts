import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { agentFile, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";
import { connectMcp } from "../../../../support/mcp-client.ts";
import { stagedCommand, until } from "../../../../support/mcp-servers.ts";

const entry = (name: string, behaviour: string, argument = "", more: Record<string, unknown> = {}) => ({
  name,
  type: "mcp",
  config: { transport: "stdio", ...stagedCommand(behaviour, argument) },
  ...more,
});

const agentWith = (...tools: object[]) => ({ "helper.agent.yaml": agentFile("helper", { tools }) });

interface ServerView {
  status: string;
}

/** Returns the agent's page once its servers have started or are down. */
async function settled(daemon: TestDaemon, agent = "helper") {
  for (;;) {
    const { body } = await daemon.call("GET", `/v1/agents/${agent}`);
    const servers: ServerView[] = body.mcp_servers;
    if (servers.every(({ status }) => status === "ready" || status === "down")) return body;
  }
}

const execute = (daemon: TestDaemon, tool: string, input: object, agent = "helper") =>
  daemon.call("POST", "/v1/tools/execute", { body: { tool, input, agent } });

const doctorLine = async (daemon: TestDaemon) => {
  const { body } = await daemon.call("GET", "/v1/system/doctor");
  return body.checks.find(({ name }: { name: string }) => name === "mcp");
};

function offeredNames(daemon: TestDaemon, at = -1): string[] {
  return (daemon.models.lab.requests.at(at)?.body.tools ?? []).map(({ function: tool }) => tool.name);
}

describe("an agent with an MCP server", () => {
  test("has the server's tools in its page, in the list and in what the model is offered", async () => {
    await using daemon = await startDaemon({ agents: agentWith(entry("lab", "pages")) });
    const page = await settled(daemon);
    expect(page.mcp_servers).toEqual([
      { name: "lab", status: "ready", tools_listed: 2, tools_offered: 2, tools_hash: expect.any(String) },
    ]);
    const names = ["lab__echo", "lab__second"];
    expect(page.tools.map(({ name }: { name: string }) => name)).toEqual(names);
    const { body } = await daemon.call("GET", "/v1/tools");
    expect(body.tools).toEqual(
      names.map((name) => ({ name, type: "mcp", description: "Says it again.", agents: ["helper"] })),
    );
    await daemon.run("helper", { query: "hi" });
    expect(offeredNames(daemon)).toEqual(names);
    expect(await doctorLine(daemon)).toMatchObject({
      status: "healthy",
      message: expect.stringContaining("1 of 1"),
    });
  });

  test("calls a tool in a run, and executes one without a model", async () => {
    await using daemon = await startDaemon({
      agents: agentWith(entry("lab", "plain")),
      models: {
        lab: [
          { toolCalls: [{ name: "lab__echo", arguments: { text: "from the model" } }] },
          { text: "It said so." },
        ],
      },
    });
    const { body } = await daemon.run("helper", { query: "hi" });
    expect(body.response).toBe("It said so.");
    const output = { success: true, data: "from the model" };
    expect(body.tool_calls).toEqual([{ tool: "lab__echo", input: { text: "from the model" }, output }]);
    expect((await execute(daemon, "lab__echo", { text: "directly" })).body.output).toEqual({
      success: true,
      data: "directly",
    });
    expect((await execute(daemon, "lab__echo", { text: 7 })).body.output.success).toBe(false);
    expect((await execute(daemon, "lab__nonesuch", {})).status).toBe(404);
  });

  test("is recorded with the tools that it had, and replayed without the server", async () => {
    await using daemon = await startDaemon({
      agents: agentWith(entry("lab", "plain")),
      models: {
        lab: [{ toolCalls: [{ name: "lab__echo", arguments: { text: "taped" } }] }, { text: "It said so." }],
      },
    });
    await settled(daemon);
    const { body } = await daemon.run("helper", { query: "hi", record: true });
    const started = () => daemon.logLines().filter((line) => line.includes('"mcp.ready"')).length;
    const replayed = await daemon.call("POST", `/v1/cassettes/${body.cassette}/replay`, { body: {} });
    expect(replayed.body).toMatchObject({ identical: true });
    expect(started()).toBe(1);
  });

  test("a tool that is not there is 404, and the answer says that its server is down", async () => {
    await using daemon = await startDaemon({ agents: agentWith(entry("gone", "exits")) });
    await settled(daemon);
    const { status, body } = await execute(daemon, "gone__echo", {});
    expect(status).toBe(404);
    expect(body.hint).toBe("Its server gone is down: it ended with status 3.");
  });

  test("runs at once without the tools of a server that is down, and others have theirs", async () => {
    await using daemon = await startDaemon({
      agents: agentWith(entry("gone", "exits"), entry("lab", "plain")),
    });
    const page = await settled(daemon);
    expect(page.status).toBe("ready");
    expect(page.mcp_servers[0]).toMatchObject({
      name: "gone",
      status: "down",
      message: "it ended with status 3",
    });
    const { status } = await daemon.run("helper", { query: "hi" });
    expect(status).toBe(200);
    expect(offeredNames(daemon)).toEqual(["lab__echo"]);
    expect(await doctorLine(daemon)).toMatchObject({
      status: "degraded",
      message: expect.stringContaining("helper/gone is down: it ended with status 3."),
    });
  });

  test("waits 10 seconds for a server that never answers, and then no more", async () => {
    await using daemon = await startDaemon({ agents: agentWith(entry("mute", "mute")) });
    const running = daemon.run("helper", { query: "hi" });
    let isDone = false;
    void running.then(() => {
      isDone = true;
    });
    await until(() => daemon.logLines().some((line) => line.includes("I am mute")));
    expect(isDone).toBe(false);
    await daemon.clock.advance(10_000);
    expect((await running).status).toBe(200);
    expect((await daemon.run("helper", { query: "again" })).status).toBe(200);
  });

  test("proposes in place of calling, and keeps to its rate", async () => {
    const limits = { mode: "propose", rate_limit: { max_calls: 1, window_seconds: 60 } };
    await using daemon = await startDaemon({ agents: agentWith(entry("lab", "plain", "", limits)) });
    const { body } = await execute(daemon, "lab__echo", { text: "hi" });
    expect(body.propuestas).toMatchObject([
      { tool: "lab__echo", tipo: "mcp", destino: "lab", operacion: "echo" },
    ]);
    expect((await execute(daemon, "lab__echo", { text: "hi" })).body.output.error).toContain("too often");
  });

  test("reports tools that changed in the log and in the doctor", async () => {
    await using daemon = await startDaemon({ agents: agentWith(entry("lab", "changing")) });
    const page = await settled(daemon);
    expect(page.tools).toHaveLength(1);
    const changed = async () => (await daemon.call("GET", "/v1/agents/helper")).body.mcp_servers[0].changed;
    while ((await changed()) === undefined) await daemon.clock.advance(50);
    await daemon.run("helper", { query: "hi" });
    expect(offeredNames(daemon)).toEqual(["lab__echo", "lab__late"]);
    expect(daemon.logLines().join("\n")).toContain("mcp.tools_changed");
    expect(await doctorLine(daemon)).toMatchObject({
      status: "degraded",
      message: expect.stringContaining("new late, changed echo"),
      mend: expect.stringMatching(/tools_hash: [0-9a-f]{16}/),
    });
  });
});

describe("servers come and go with the agents' files", () => {
  const running = (argument: string) =>
    Bun.spawnSync(["pgrep", "-fc", argument]).stdout.toString().trim() !== "0";

  test("one that no agent has any more ends after a minute; a change elsewhere in the file keeps it", async () => {
    const mark = `going-${process.pid}`;
    await using daemon = await startDaemon({ agents: agentWith(entry("lab", "plain", mark)) });
    await settled(daemon);
    const readyCount = () => daemon.logLines().filter((line) => line.includes('"mcp.ready"')).length;
    expect(readyCount()).toBe(1);
    daemon.writeAgent(
      "helper.agent.yaml",
      agentFile("helper", { identity: { description: "Changed." }, tools: [entry("lab", "plain", mark)] }),
    );
    await daemon.clock.advance(1000);
    await until(() => daemon.logLines().filter((line) => line.includes("agents.loaded")).length > 1);
    expect((await execute(daemon, "lab__echo", { text: "hi" })).body.output.success).toBe(true);
    expect(readyCount()).toBe(1);
    rmSync(join(daemon.workspace, "agents", "helper.agent.yaml"));
    await daemon.clock.advance(1000);
    await until(() => daemon.logLines().filter((line) => line.includes("agents.loaded")).length > 2);
    expect(running(mark)).toBe(true);
    await daemon.clock.advance(60_000);
    await until(() => !running(mark));
  });

  test("two agents that name a server in the same way share it", async () => {
    const tools = [entry("lab", "plain")];
    const agents = { "a.agent.yaml": agentFile("a", { tools }), "b.agent.yaml": agentFile("b", { tools }) };
    await using daemon = await startDaemon({ agents });
    await settled(daemon, "a");
    await settled(daemon, "b");
    expect(daemon.logLines().filter((line) => line.includes('"mcp.ready"'))).toHaveLength(1);
    const { body } = await daemon.call("GET", "/v1/tools");
    expect(body.tools).toMatchObject([{ name: "lab__echo", agents: ["a", "b"] }]);
  });

  test("what servers offered is kept for the next start", async () => {
    await using daemon = await startDaemon({ agents: agentWith(entry("lab", "plain")) });
    await settled(daemon);
    const file = join(daemon.config.dataFolder, "mcp-tools.json");
    expect(existsSync(file)).toBe(true);
    expect(Object.values(JSON.parse(readFileSync(file, "utf8")).servers)).toEqual([
      { echo: expect.any(String) },
    ]);
  });
});

describe("what is refused when an agent is loaded", () => {
  const stdio = { transport: "stdio", command: "true" };
  test.each<[object, string]>([
    [{ transport: "stdio" }, "spec.tools[0].config.command"],
    [{ ...stdio, url: "https://example.org/" }, "spec.tools[0].config.url"],
    [{ ...stdio, headers: { a: "b" } }, "spec.tools[0].config.headers"],
    [{ transport: "http" }, "spec.tools[0].config.url"],
    [{ transport: "http", url: "https://example.org/", command: "true" }, "spec.tools[0].config.command"],
    [{ transport: "sse", url: "https://user:secret@example.org/" }, "spec.tools[0].config.url"],
    [{ transport: "http", url: "http://localhost:9/mcp" }, "spec.tools[0].config.url"],
    [{ ...stdio, memory_mb: 1 }, "spec.tools[0].config.memory_mb"],
    [{ ...stdio, tools_hash: "x" }, "spec.tools[0].config.tools_hash"],
  ])("%j", async (config, path) => {
    await using daemon = await startDaemon({ agents: agentWith({ name: "lab", type: "mcp", config }) });
    const { body } = await daemon.call("GET", "/v1/agents/helper");
    expect(body.status).toBe("failed");
    expect(body.problems.map((problem: { path: string }) => problem.path)).toContain(path);
  });

  test("parameters: the server says what its tools take", async () => {
    const tool = entry("lab", "plain", "", { parameters: { type: "object" } });
    await using daemon = await startDaemon({ agents: agentWith(tool) });
    const { body } = await daemon.call("GET", "/v1/agents/helper");
    expect(body.problems).toMatchObject([{ path: "spec.tools[0].parameters" }]);
  });

  test.each([
    [stdio, "spec.tools[0].config.transport"],
    [
      { transport: "http", url: "http://localhost:9/mcp", allow_localhost: true },
      "spec.tools[0].config.allow_localhost",
    ],
  ])("%j in a manifest that somebody sends, and nothing is started", async (config, path) => {
    await using daemon = await startDaemon();
    const sent = JSON.parse(agentFile("sent", { tools: [{ name: "lab", type: "mcp", config }] }));
    const { status, body } = await daemon.call("POST", "/v1/agents", { body: sent });
    expect(status).toBe(400);
    expect(body.problems.map((problem: { path: string }) => problem.path)).toContain(path);
  });
});

test("tools that a call brings are offered to the same run, and those that it takes away no longer", async () => {
  await using daemon = await startDaemon({
    agents: agentWith(entry("lab", "growing")),
    models: {
      lab: [
        { toolCalls: [{ name: "lab__grow", arguments: { text: "x" } }] },
        { toolCalls: [{ name: "lab__late", arguments: { text: "x" } }] },
        { text: "Done." },
      ],
    },
  });
  await settled(daemon);
  const { body } = await daemon.run("helper", { query: "hi" });
  expect(offeredNames(daemon, 0)).toEqual(["lab__echo", "lab__grow"]);
  expect(offeredNames(daemon, 1)).toEqual(["lab__echo", "lab__late"]);
  expect(body.tool_calls.at(-1)).toMatchObject({
    tool: "lab__late",
    output: { success: true, data: "late is done" },
  });
  expect(body.response).toBe("Done.");
});

test("the progress of a server's tool reaches a client of /mcp that asked for it", async () => {
  await using daemon = await startDaemon({
    agents: agentWith(entry("lab", "telling")),
    models: {
      lab: [{ toolCalls: [{ name: "lab__echo", arguments: { text: "x" } }] }, { text: "Done." }],
    },
  });
  await settled(daemon);
  await using mcp = await connectMcp(daemon.url);
  const told: (string | undefined)[] = [];
  await mcp.client.callTool({ name: "agent_helper", arguments: { query: "hi" } }, undefined, {
    onprogress: ({ message }) => void told.push(message),
  });
  expect(told).toEqual(["Calls lab__echo.", "lab__echo: Page 1 (1 of 4)", "lab__echo answered.", "Done."]);
});

test("the counts agree: tools listed are those offered and those noted", async () => {
  const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more });
  const listed = [
    tool("one"),
    tool("two"),
    tool("task", { execution: { taskSupport: "required" } }),
    { name: "list", inputSchema: { type: "array" } },
  ];
  await using daemon = await startDaemon({
    agents: agentWith(entry("lab", "tools", JSON.stringify(listed))),
  });
  const { mcp_servers, tools } = await settled(daemon);
  expect(mcp_servers).toMatchObject([{ tools_listed: 4, tools_offered: 2 }]);
  expect(mcp_servers[0].notes).toHaveLength(2);
  expect(tools).toHaveLength(2);
});
