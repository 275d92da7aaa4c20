import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const look = (daemon: TestDaemon) => daemon.clock.advance(1000);

const limited = (name: string, description: string) =>
  agentFile(name, {
    identity: { description },
    tools: [{ name: "datetime_now", type: "builtin", rate_limit: { max_calls: 1, window_seconds: 86_400 } }],
  });

async function isAllowed(daemon: TestDaemon, agent: string): Promise<boolean> {
  const body = { tool: "datetime_now", input: {}, agent };
  return (await daemon.call("POST", "/v1/tools/execute", { body })).body.output.success;
}

test("a rate limit survives changes of other files, and of its own file's date", async () => {
  await using daemon = await startDaemon({
    agents: { "one.agent.yaml": limited("one", "first"), "two.agent.yaml": limited("two", "first") },
  });
  expect(await isAllowed(daemon, "one")).toBe(true);
  daemon.writeAgent("two.agent.yaml", limited("two", "second"));
  utimesSync(join(daemon.workspace, "agents/one.agent.yaml"), 1, 1);
  await look(daemon);
  expect((await daemon.call("GET", "/v1/agents/two")).body.description).toBe("second");
  expect(await isAllowed(daemon, "one")).toBe(false);
  daemon.writeAgent("one.agent.yaml", limited("one", "second"));
  await look(daemon);
  expect(await isAllowed(daemon, "one")).toBe(true);
});

const prompted = (system: string) => agentFile("one", { prompts: { system } });

/** A daemon whose model answers when the test says so. */
async function startSlow() {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const daemon = await startDaemon({
    agents: { "one.agent.yaml": prompted("Version 1.") },
    models: {
      lab: (_request, number) => {
        asked.resolve();
        return { text: `Answer ${number}.`, ...(number === 0 ? { after: answer.promise } : {}) };
      },
    },
  });
  return { daemon, asked: asked.promise, answer: answer.resolve };
}

const promptOf = (daemon: TestDaemon, number: number) =>
  daemon.models.lab.requests[number]?.body.messages[0]?.content;

test("a run that began before a change ends on the old version; the next runs on the new one", async () => {
  const { daemon, asked, answer } = await startSlow();
  await using _ = daemon;
  const running = daemon.run("one", { query: "hi", session_id: "s" });
  await asked;
  daemon.writeAgent("one.agent.yaml", prompted("Version 2."));
  await look(daemon);
  expect((await daemon.run("one", { query: "hi", session_id: "t" })).body.response).toBe("Answer 1.");
  expect(promptOf(daemon, 1)).toBe("Version 2.");
  answer();
  expect((await running).body.response).toBe("Answer 0.");
  expect(promptOf(daemon, 0)).toBe("Version 1.");
  const history = await daemon.call("GET", "/v1/memory/one/history/s");
  expect(history.body.messages).toHaveLength(2);
});

test("a run completes when its agent's file is removed, later runs are 404, and the conversation returns with the file", async () => {
  const { daemon, asked, answer } = await startSlow();
  await using _ = daemon;
  const running = daemon.run("one", { query: "hi", session_id: "s" });
  await asked;
  const path = join(daemon.workspace, "agents/one.agent.yaml");
  rmSync(path);
  await look(daemon);
  expect((await daemon.run("one", { query: "hi" })).status).toBe(404);
  answer();
  expect((await running).body.response).toBe("Answer 0.");
  writeFileSync(path, prompted("Version 3."));
  await look(daemon);
  const history = await daemon.call("GET", "/v1/memory/one/history/s");
  expect(history.body.messages).toHaveLength(2);
});

test("a file that is half written at a look is not taken, and is taken whole at the next", async () => {
  await using daemon = await startDaemon({ agents: { "one.agent.yaml": prompted("Version 1.") } });
  const whole = prompted("Version 2.");
  for (const half of ["", whole.slice(0, 20), whole.slice(0, -1)]) {
    daemon.writeAgent("one.agent.yaml", half);
    await look(daemon);
    const { body } = await daemon.call("GET", "/v1/agents/one");
    expect(body).toMatchObject({ status: "ready", error: expect.stringContaining("agents/one.agent.yaml") });
    await daemon.run("one", { query: "hi" });
    expect(daemon.models.lab.requests.at(-1)?.body.messages[0]?.content).toBe("Version 1.");
  }
  daemon.writeAgent("one.agent.yaml", whole);
  await look(daemon);
  expect((await daemon.call("GET", "/v1/agents/one")).body).not.toHaveProperty("error");
  await daemon.run("one", { query: "hi" });
  expect(daemon.models.lab.requests.at(-1)?.body.messages[0]?.content).toBe("Version 2.");
});

test("a fault is logged when it comes, and not again with every other change", async () => {
  await using daemon = await startDaemon({ agents: { "one.agent.yaml": prompted("Version 1.") } });
  const refusals = () => daemon.logLines().filter((line) => line.includes('"agent.refused"'));
  daemon.writeAgent("one.agent.yaml", "a: [b");
  await look(daemon);
  expect(refusals()).toHaveLength(1);
  daemon.writeAgent("two.agent.yaml", agentFile("two"));
  await look(daemon);
  expect(refusals()).toHaveLength(1);
  daemon.writeAgent("one.agent.yaml", "b: [c, d");
  await look(daemon);
  expect(refusals()).toHaveLength(2);
});

test("variables that appear mend the agents that need them", async () => {
  const environment = new Map<string, string>();
  await using daemon = await startDaemon({
    agents: { "one.agent.yaml": agentFile("one", { identity: { description: `\${PLACE}` } }) },
    configure: (config) => ({ ...config, variable: (name) => environment.get(name) }),
  });
  expect((await daemon.call("GET", "/v1/agents/one")).body.status).toBe("failed");
  environment.set("PLACE", "here");
  await look(daemon);
  expect((await daemon.call("GET", "/v1/agents/one")).body).toMatchObject({
    status: "ready",
    description: "here",
  });
});

const asking = (name: string, ...others: string[]) =>
  agentFile(name, {
    tools: others.map((agent) => ({ name: `ask_${agent}`, type: "agent", config: { agent } })),
  });

async function statuses(daemon: TestDaemon): Promise<Record<string, string>> {
  const { agents } = (await daemon.call("GET", "/v1/agents")).body;
  return Object.fromEntries(
    agents.map((agent: { name: string; status: string }) => [agent.name, agent.status]),
  );
}

test("an agent that leads to one that isn't there fails with the place, and recovers when that one comes", async () => {
  await using daemon = await startDaemon({
    agents: {
      "desk.agent.yaml": `apiVersion: platform/v1
kind: Agent
metadata: {name: desk}
spec:
  model: {primary: {provider: lab, model: test-model}}
  tools:
    - name: ask
      type: agent
      config:
        agent: billing
`,
      "front.agent.yaml": asking("front", "desk"),
      "other.agent.yaml": agentFile("other"),
    },
  });
  expect(await statuses(daemon)).toEqual({ desk: "failed", front: "failed", other: "ready" });
  const { body } = await daemon.call("GET", "/v1/agents/desk");
  expect(body.problems).toEqual([
    { path: "spec.tools[0].config.agent", message: expect.stringContaining("billing"), line: 10, column: 16 },
  ]);
  expect(body.error).toStartWith("agents/desk.agent.yaml:10:16: spec.tools[0].config.agent");
  expect((await daemon.run("desk", { query: "hi" })).body).toMatchObject({ error: "agent_failed" });

  daemon.writeAgent("billing.agent.yaml", agentFile("billing"));
  await look(daemon);
  expect(await statuses(daemon)).toEqual({ billing: "ready", desk: "ready", front: "ready", other: "ready" });
  expect((await daemon.run("desk", { query: "hi" })).status).toBe(200);

  rmSync(join(daemon.workspace, "agents/billing.agent.yaml"));
  await look(daemon);
  expect(await statuses(daemon)).toEqual({ desk: "failed", front: "failed", other: "ready" });
});

test("an invalid change keeps the last good version, and the agents that refer to it", async () => {
  await using daemon = await startDaemon({
    agents: { "a.agent.yaml": asking("a"), "b.agent.yaml": asking("b", "a") },
  });
  daemon.writeAgent("a.agent.yaml", asking("a", "nobody"));
  await look(daemon);
  expect((await daemon.call("GET", "/v1/agents/a")).body).toMatchObject({
    status: "ready",
    tools: [],
    error: expect.stringContaining("nobody"),
  });
  expect(await statuses(daemon)).toEqual({ a: "ready", b: "ready" });
  daemon.writeAgent("nobody.agent.yaml", agentFile("nobody"));
  await look(daemon);
  expect((await daemon.call("GET", "/v1/agents/a")).body).toMatchObject({ tools: [{ name: "ask_nobody" }] });
});

test("a folder that goes and comes back takes its agents with it", async () => {
  await using daemon = await startDaemon();
  const agents = join(daemon.workspace, "agents");
  renameSync(agents, `${agents}-away`);
  await look(daemon);
  expect(await statuses(daemon)).toEqual({});
  renameSync(`${agents}-away`, agents);
  await look(daemon);
  expect(await statuses(daemon)).toEqual({ helper: "ready" });
});

test("a folder that can't be read keeps its agents, and the log says so once", async () => {
  await using daemon = await startDaemon();
  const agents = join(daemon.workspace, "agents");
  renameSync(agents, `${agents}-away`);
  symlinkSync(agents, agents);
  await daemon.clock.advance(3000);
  expect(await statuses(daemon)).toEqual({ helper: "ready" });
  expect(daemon.logLines().filter((line) => line.includes('"agents.look_failed"'))).toHaveLength(1);
  rmSync(agents);
  await look(daemon);
  expect(await statuses(daemon)).toEqual({});
});

test("an agent that names a missing folder is loaded once the folder is there", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "notes");
  const tools = [{ name: "read_file", type: "builtin", config: { allowed_paths: [path] } }];
  await using daemon = await startDaemon({ agents: { "one.agent.yaml": agentFile("one", { tools }) } });
  const status = async () => (await daemon.call("GET", "/v1/agents/one")).body.status;
  expect(await status()).toBe("failed");
  const failed = (await daemon.run("one", { query: "hi" })).body;
  expect(failed).toMatchObject({
    error: "agent_failed",
    message: expect.stringContaining("folder that exists"),
  });
  mkdirSync(path);
  for (let seconds = 0; seconds < 12; seconds++) await look(daemon);
  expect(await status()).toBe("ready");
  expect((await daemon.run("one", { query: "hi" })).status).toBe(200);
});

test("an agent that stays refused is reported once", async () => {
  const tools = [{ name: "read_file", type: "builtin", config: { allowed_paths: ["/nowhere/at/all"] } }];
  await using daemon = await startDaemon({ agents: { "one.agent.yaml": agentFile("one", { tools }) } });
  for (let seconds = 0; seconds < 30; seconds++) await look(daemon);
  expect(daemon.logLines().filter((line) => line.includes("agent.refused"))).toHaveLength(1);
});
