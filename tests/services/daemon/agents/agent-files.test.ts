import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openSocket } from "../../../support/agent-stream.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";

/** Lets the watcher check the files again. */
async function look(daemon: TestDaemon): Promise<void> {
  await daemon.clock.advance(1000);
}

interface Listed {
  name: string;
  status: string;
  error?: string;
}

async function list(daemon: TestDaemon): Promise<Record<string, string>> {
  const { body } = await daemon.call("GET", "/v1/agents");
  return Object.fromEntries(
    body.agents.map(({ name, status, error }: Listed) => [
      name,
      error === undefined ? status : `${status}: ${error}`,
    ]),
  );
}

const described = (name: string, description: string) => agentFile(name, { identity: { description } });

async function descriptionOf(daemon: TestDaemon, name: string): Promise<string> {
  return (await daemon.call("GET", `/v1/agents/${name}`)).body.description;
}

test("files that are added, changed, moved and removed are seen within a second", async () => {
  await using daemon = await startDaemon({ agents: { "one.agent.yaml": described("one", "first") } });
  daemon.writeAgent("deep/down/two.agent.yml", described("two", "added"));
  daemon.writeAgent("notes.yaml", "not an agent");
  expect(await list(daemon)).toEqual({ one: "ready" });
  await look(daemon);
  expect(await list(daemon)).toEqual({ one: "ready", two: "ready" });
  expect((await daemon.run("two", { query: "hi" })).status).toBe(200);

  daemon.writeAgent("one.agent.yaml", described("one", "changed"));
  await look(daemon);
  expect(await descriptionOf(daemon, "one")).toBe("changed");

  daemon.writeAgent("one.agent.yaml", described("uno", "renamed"));
  await look(daemon);
  expect(await list(daemon)).toEqual({ uno: "ready", two: "ready" });

  const agents = join(daemon.workspace, "agents");
  renameSync(join(agents, "one.agent.yaml"), join(agents, "moved.agent.yaml"));
  await look(daemon);
  expect((await daemon.call("GET", "/v1/agents/uno")).body.file).toBe("agents/moved.agent.yaml");

  rmSync(join(agents, "moved.agent.yaml"));
  await look(daemon);
  expect(await list(daemon)).toEqual({ two: "ready" });
  expect((await daemon.run("uno", { query: "hi" })).status).toBe(404);

  rmSync(agents, { recursive: true });
  await look(daemon);
  expect(await list(daemon)).toEqual({});
  expect((await daemon.call("GET", "/readyz")).status).toBe(200);
});

test("nothing is read again while nothing changes", async () => {
  await using daemon = await startDaemon();
  await daemon.clock.advance(10_000);
  const loadings = daemon.logLines().filter((line) => line.includes('"agents.loaded"'));
  expect(loadings).toHaveLength(1);
});

test.each([
  ["no YAML", "a: [b"],
  [
    "another kind",
    JSON.stringify({ apiVersion: "platform/v1", kind: "RAGPipeline", metadata: { name: "one" } }),
  ],
  ["an unknown key", agentFile("one", { promts: {} })],
  ["something that can't be done yet", agentFile("one", { knowledge: { pipeline: "handbook" } })],
  ["a template that can't be read", agentFile("one", { prompts: { system: "{{ a" } })],
  ["an unknown provider", agentFile("one", { model: { primary: { provider: "nowhere", model: "m" } } })],
  ["a tool that isn't there", agentFile("one", { tools: [{ name: "nothing", type: "builtin" }] })],
  ["a variable that isn't set", agentFile("one", { identity: { description: `\${MISSING}` } })],
  ["nothing", ""],
])(
  "a change to %s keeps the last good version, says so, and is over when it is mended",
  async (_what, broken) => {
    await using daemon = await startDaemon({ agents: { "one.agent.yaml": described("one", "good") } });
    daemon.writeAgent("one.agent.yaml", broken);
    await look(daemon);
    const detail = (await daemon.call("GET", "/v1/agents/one")).body;
    expect(detail).toMatchObject({ status: "ready", description: "good", error: expect.any(String) });
    expect((await daemon.run("one", { query: "hi" })).status).toBe(200);
    expect((await daemon.call("GET", "/v1/system/status")).body.status).toBe("degraded");
    expect(daemon.logLines().filter((line) => line.includes('"agent.refused"'))).toHaveLength(1);

    daemon.writeAgent("one.agent.yaml", described("one", "better"));
    await look(daemon);
    expect(await list(daemon)).toEqual({ one: "ready" });
    expect(await descriptionOf(daemon, "one")).toBe("better");
  },
);

test("a file that can't be used from the start is failed with the reason, and the others run", async () => {
  await using daemon = await startDaemon({
    agents: {
      "bad.agent.yaml": agentFile("bad", { knowledge: { pipeline: "handbook" } }),
      "good.agent.yaml": agentFile("good"),
      "torn.agent.yaml": "a: [b",
    },
  });
  mkdirSync(join(daemon.workspace, "agents/folder.agent.yaml"));
  await look(daemon);
  const agents = await list(daemon);
  expect(agents.good).toBe("ready");
  expect(agents.bad).toContain("spec.knowledge");
  expect(agents.torn).toStartWith("failed: agents/torn.agent.yaml");
  expect(agents.folder).toBe("failed: agents/folder.agent.yaml can't be read (EISDIR).");
  expect((await daemon.run("good", { query: "hi" })).status).toBe(200);
  expect((await daemon.run("torn", { query: "hi" })).body).toMatchObject({ error: "agent_failed" });
  const doctor = (await daemon.call("GET", "/v1/system/doctor")).body.checks;
  expect(doctor.find(({ name }: { name: string }) => name === "agents")).toMatchObject({
    status: "degraded",
    mend: expect.stringContaining("argosy validate"),
  });
});

test("of two files with one name the first serves and names the other", async () => {
  await using daemon = await startDaemon({
    agents: { "a.agent.yaml": described("one", "of a"), "b.agent.yaml": described("one", "of b") },
  });
  expect(await list(daemon)).toEqual({
    one: "ready: agents/b.agent.yaml also has the name one; names must be unique.",
  });
  expect(await descriptionOf(daemon, "one")).toBe("of a");
  rmSync(join(daemon.workspace, "agents/a.agent.yaml"));
  await look(daemon);
  expect(await list(daemon)).toEqual({ one: "ready" });
  expect(await descriptionOf(daemon, "one")).toBe("of b");
});

test("a broken file does not hide a good one of the same name", async () => {
  await using daemon = await startDaemon({
    agents: { "a/one.agent.yaml": "a: [b", "b/one.agent.yaml": described("one", "good") },
  });
  expect(await descriptionOf(daemon, "one")).toBe("good");
  expect((await list(daemon)).one).toStartWith("ready: agents/a/one.agent.yaml");
});

test("a query on an open socket is answered by the version of its moment", async () => {
  await using daemon = await startDaemon({
    agents: { "one.agent.yaml": agentFile("one", { prompts: { system: "Version 1." } }) },
  });
  const socket = await openSocket(daemon.url, "one");
  const prompt = async () => {
    socket.send({ query: "hi" });
    await socket.answer();
    return daemon.models.lab.requests.at(-1)?.body.messages[0]?.content;
  };
  expect(await prompt()).toBe("Version 1.");
  daemon.writeAgent("one.agent.yaml", agentFile("one", { prompts: { system: "Version 2." } }));
  await look(daemon);
  expect(await prompt()).toBe("Version 2.");
  rmSync(join(daemon.workspace, "agents/one.agent.yaml"));
  await look(daemon);
  socket.send({ query: "hi" });
  expect(await socket.answer()).toMatchObject([{ type: "error", error: "agent_not_found" }]);
  socket.leave();
});
