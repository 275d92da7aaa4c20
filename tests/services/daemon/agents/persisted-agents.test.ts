import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parse } from "yaml";
import { readYaml } from "../../../../src/manifest/yaml/read-yaml.ts";
import { draftOf } from "../../../../src/storage/files/replace-file.ts";
import { agentFile, type DaemonOptions, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const yaml = { "content-type": "application/yaml" };

const start = (options: DaemonOptions = {}) =>
  startDaemon({ ...options, configure: (config) => ({ ...config, persistAgents: true }) });

const described = (name: string, description: string) => agentFile(name, { identity: { description } });
const fileOf = (daemon: TestDaemon, path: string) => join(daemon.workspace, "agents", path);
const put = (daemon: TestDaemon, name: string, body: string, headers = {}) =>
  daemon.asOwner("PUT", `/v1/agents/${name}`, { body, headers });
const loadings = (daemon: TestDaemon) =>
  daemon.logLines().filter((line) => line.includes('"agents.loaded"')).length;

test("a sent agent is stored in a file, outlives a restart, and is 404 after its deletion", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  const text = `# by hand\n${described("sent", "first")}\n`;
  {
    await using daemon = await start({ workspace, agents: {} });
    const answer = await daemon.asOwner("POST", "/v1/agents", { body: text, headers: yaml });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ persisted: true, file: "agents/sent.agent.yaml", status: "ready" });
    const path = fileOf(daemon, "sent.agent.yaml");
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(readdirSync(fileOf(daemon, "."))).toEqual(["sent.agent.yaml"]);
    await daemon.run("sent", { query: "hi", session_id: "s" });
  }
  {
    await using daemon = await start({ workspace, agents: {} });
    expect((await daemon.asOwner("GET", "/v1/agents/sent")).body.description).toBe("first");
    expect((await daemon.asOwner("GET", "/v1/memory/sent/history/s")).body.messages).toHaveLength(2);
    expect((await daemon.asOwner("DELETE", "/v1/agents/sent")).status).toBe(200);
    expect(existsSync(fileOf(daemon, "sent.agent.yaml"))).toBe(false);
    await daemon.clock.advance(3000);
    expect((await daemon.asOwner("GET", "/v1/agents/sent")).status).toBe(404);
    await daemon.asOwner("POST", "/v1/agents", { body: agentFile("sent") });
    expect((await daemon.asOwner("GET", "/v1/memory/sent/history/s")).body.messages).toEqual([]);
  }
});

test("an agent of a file is rewritten in its place, with the file's permissions", async () => {
  await using daemon = await start({ agents: { "deep/any-name.agent.yml": described("one", "first") } });
  const path = fileOf(daemon, "deep/any-name.agent.yml");
  chmodSync(path, 0o600);
  const text = `# why\n${described("one", "second")}`;
  const answer = await put(daemon, "one", text, yaml);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ description: "second", file: "agents/deep/any-name.agent.yml" });
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(fileOf(daemon, "."))).toEqual(["deep"]);
});

test("what is sent in JSON is written as YAML, and the watcher sees nothing new in it", async () => {
  await using daemon = await start({ agents: {} });
  await put(daemon, "sent", described("sent", "one"));
  expect(readFileSync(fileOf(daemon, "sent.agent.yaml"), "utf8")).toStartWith(
    "apiVersion: platform/v1\nkind: Agent\n",
  );
  const count = loadings(daemon);
  await daemon.clock.advance(5000);
  expect(loadings(daemon)).toBe(count);
  daemon.writeAgent("sent.agent.yaml", described("sent", "two"));
  await daemon.clock.advance(1000);
  expect((await daemon.asOwner("GET", "/v1/agents/sent")).body.description).toBe("two");
});

test("any sent JSON has the same meaning in its YAML", async () => {
  await using daemon = await start({ agents: {} });
  const texts = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
    fc.constantFrom(
      "yes",
      "0755",
      "null",
      "~",
      "1e3",
      "- a",
      "a: b",
      "# x",
      "a\n\n  b\n",
      " x ",
      "'",
      '"',
      "|",
      "&a",
      "*a",
      "!x",
      "---",
    ),
  );
  const labels = fc.dictionary(fc.stringMatching(/^[a-z:# -]{1,12}$/), texts, { maxKeys: 5 });
  await fc.assert(
    fc.asyncProperty(texts, labels, async (description, found) => {
      fc.pre(!JSON.stringify([description, found]).includes("${"));
      const sent = JSON.parse(agentFile("sent", { identity: { description } }));
      sent.metadata.labels = found;
      const answer = await put(daemon, "sent", JSON.stringify(sent));
      expect([200, 201]).toContain(answer.status);
      const reading = readYaml(readFileSync(fileOf(daemon, "sent.agent.yaml"), "utf8"));
      expect("value" in reading ? reading.value : reading.problem).toEqual(sent);
    }),
    { numRuns: 60 },
  );
});

test("a broken file is mended through the API under the name that it is known by", async () => {
  await using daemon = await start({ agents: { "torn.agent.yaml": "a: [b" } });
  expect((await daemon.asOwner("POST", "/v1/agents", { body: agentFile("torn") })).body.error).toBe(
    "agent_exists",
  );
  expect((await put(daemon, "torn", agentFile("torn"))).body.status).toBe("ready");
  expect(readdirSync(fileOf(daemon, "."))).toEqual(["torn.agent.yaml"]);
});

test("a save over a file that somebody else just wrote is 409", async () => {
  await using daemon = await start({ agents: {} });
  daemon.writeAgent("one.agent.yaml", described("one", "by hand"));
  expect((await daemon.asOwner("POST", "/v1/agents", { body: agentFile("one") })).body.error).toBe(
    "agent_exists",
  );
  daemon.writeAgent("two.agent.yaml", described("other", "by hand"));
  const answer = await put(daemon, "two", agentFile("two"));
  expect([answer.status, answer.body.error]).toEqual([409, "file_taken"]);
  expect(readFileSync(fileOf(daemon, "two.agent.yaml"), "utf8")).toContain("by hand");
});

test("an agent of two files is neither replaced nor deleted", async () => {
  const files = { "a.agent.yaml": described("one", "a"), "b.agent.yaml": described("one", "b") };
  await using daemon = await start({ agents: files });
  const replaced = await put(daemon, "one", agentFile("one"));
  expect([replaced.status, replaced.body.error]).toEqual([409, "agent_ambiguous"]);
  expect(replaced.body.message).toContain("agents/a.agent.yaml, agents/b.agent.yaml");
  expect((await daemon.asOwner("DELETE", "/v1/agents/one")).body.error).toBe("agent_ambiguous");
  for (const [path, text] of Object.entries(files))
    expect(readFileSync(fileOf(daemon, path), "utf8")).toBe(text);
});

test("a draft that a killed process left is not loaded as an agent, and is gone with the next write", async () => {
  await using daemon = await start({ agents: { "one.agent.yaml": described("one", "whole") } });
  const draft = draftOf(fileOf(daemon, "one.agent.yaml"));
  writeFileSync(draft, described("one", "ha").slice(0, 40));
  await daemon.clock.advance(1000);
  expect((await daemon.asOwner("GET", "/v1/agents")).body.agents).toMatchObject([
    { name: "one", description: "whole" },
  ]);
  await put(daemon, "one", described("one", "next"));
  expect(existsSync(draft)).toBe(false);
});

test("a save to a file that can't be written is 503 and leaves the agent as it was", async () => {
  await using daemon = await start({ agents: { "one.agent.yaml": described("one", "first") } });
  // Not even root can replace a folder that is not empty.
  const draft = draftOf(fileOf(daemon, "one.agent.yaml"));
  mkdirSync(draft);
  writeFileSync(join(draft, "inside"), "");
  const answer = await put(daemon, "one", described("one", "second"));
  expect([answer.status, answer.body.error]).toEqual([503, "agents_not_writable"]);
  expect((await daemon.asOwner("GET", "/v1/agents/one")).body.description).toBe("first");
  expect(readFileSync(fileOf(daemon, "one.agent.yaml"), "utf8")).toBe(described("one", "first"));
  rmSync(draft, { recursive: true });
  expect((await put(daemon, "one", described("one", "second"))).status).toBe(200);
});

test("changes from everywhere at once leave whole files, and the daemon agrees with them", async () => {
  await using daemon = await start({ agents: {} });
  mkdirSync(fileOf(daemon, "."), { recursive: true });
  const changes = fc.array(
    fc.record({
      name: fc.constantFrom("a", "b"),
      by: fc.constantFrom("put", "put", "delete", "hand", "look"),
      number: fc.nat({ max: 1000 }),
    }),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(changes, async (wanted) => {
      const statuses = await Promise.all(
        wanted.map(async ({ name, by, number }) => {
          if (by === "put") return (await put(daemon, name, described(name, `put ${number}`))).status;
          if (by === "delete") return (await daemon.asOwner("DELETE", `/v1/agents/${name}`)).status;
          if (by === "hand") daemon.writeAgent(`${name}.agent.yaml`, described(name, `hand ${number}`));
          else await daemon.clock.advance(1000);
          return 200;
        }),
      );
      expect(statuses.filter((status) => ![200, 201, 404].includes(status))).toEqual([]);
      await daemon.clock.advance(1000);
      const { agents } = (await daemon.asOwner("GET", "/v1/agents")).body;
      const listed = agents.map(({ name, description }: Record<string, string>) => [name, description]);
      const kept = readdirSync(fileOf(daemon, "."))
        .sort()
        .map((file) => parse(readFileSync(fileOf(daemon, file), "utf8")))
        .map(({ metadata, spec }) => [metadata.name, spec.identity.description]);
      expect(listed).toEqual(kept);
    }),
    { numRuns: 25 },
  );
});

test("a pause outlives a restart, and a damaged record of it is refused", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  const agents = { "one.agent.yaml": agentFile("one"), "two.agent.yaml": agentFile("two") };
  {
    await using daemon = await start({ workspace, agents });
    for (const name of ["one", "two"]) await daemon.asOwner("POST", `/v1/agents/${name}/pause`);
    await daemon.asOwner("POST", "/v1/agents/two/deploy");
  }
  {
    await using daemon = await start({ workspace, agents });
    expect((await daemon.run("one", { query: "hi" })).body.error).toBe("agent_paused");
    expect((await daemon.run("two", { query: "hi" })).status).toBe(200);
    await daemon.asOwner("POST", "/v1/agents/one/pause");
  }
  {
    await using daemon = await startDaemon({ workspace, agents });
    expect((await daemon.run("one", { query: "hi" })).status).toBe(200);
  }
  writeFileSync(join(workspace, ".argosy/paused-agents.json"), '{"paused": "one"}');
  await expect(start({ workspace, agents })).rejects.toMatchObject({ code: "paused_agents_unreadable" });
});

test("without it an agent that was sent over the API is 404 after a restart", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  {
    await using daemon = await startDaemon({ workspace });
    await daemon.asOwner("POST", "/v1/agents", { body: agentFile("sent") });
  }
  await using daemon = await startDaemon({ workspace });
  expect((await daemon.asOwner("GET", "/v1/agents/sent")).status).toBe(404);
});
