import { describe, expect } from "bun:test";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argosy, executable, executableTest } from "../../support/executable.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { writeFiles } from "../../support/write-files.ts";

const question = "What time is it in Tokyo?";

executableTest("copied alone into an empty folder it makes a workspace whose agent answers", async () => {
  using folder = temporaryFolder();
  const program = join(folder.path, "argosy");
  copyFileSync(executable, program);
  const call = (...args: string[]) => argosy(folder.path, args, { program });

  expect(await call("version")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^argosy \d+\.\d+\.\d+ /),
  });
  expect(readdirSync(folder.path)).toEqual(["argosy"]);

  const init = await call("init");
  expect(init.code).toBe(0);
  // The next steps follow its advice.
  expect(init.stderr).toContain(`argosy run assistant "${question}"`);
  expect(await call("validate")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("5 files are valid"),
  });
  expect(await call("run", "assistant", question)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Asia/Tokyo"),
    stderr: "simulated: no model was called\n",
  });
});

describe("in a workspace", () => {
  async function inWorkspace(...args: string[]) {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    return await argosy(folder.path, args);
  }

  executableTest("run --json gives the whole result, marked simulated, with its tool call", async () => {
    const { code, stdout, stderr } = await inWorkspace("run", "assistant", "--json", question);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      agent: "assistant",
      tool_calls: [{ tool: "datetime_now", input: { timezone: "Asia/Tokyo" }, output: { success: true } }],
      metadata: { simulated: true },
    });
  });

  executableTest("run --json --stream gives frames whose tokens make up the answer", async () => {
    const { stdout } = await inWorkspace("run", "assistant", "--json", "--stream", question);
    const frames = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const types = frames.map(({ type }) => type);
    expect([...new Set(types)]).toEqual(["tool_call", "tool_result", "token", "done"]);
    const text = frames.map(({ content }) => content ?? "").join("");
    expect(frames.at(-1)).toMatchObject({ response: text, metadata: { simulated: true } });
  });

  executableTest("agents --json lists what init made", async () => {
    const { stdout } = await inWorkspace("agents", "--json");
    expect(JSON.parse(stdout).agents).toMatchObject([{ name: "assistant", status: "ready" }]);
  });
});

executableTest(
  "the schema of an agent is JSON Schema, and names every part of the files that init writes",
  async () => {
    using folder = temporaryFolder();
    const schema = JSON.parse((await argosy(folder.path, ["schema", "agent"])).stdout);
    expect(schema).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" });
    expect(Object.keys(schema.properties.spec.properties)).toContain("model");
  },
);

executableTest("config says where each value comes from and masks secrets", async () => {
  using folder = temporaryFolder();
  const env = { PLATFORM_API_TOKEN: "token-token-token-token-token-to", PLATFORM_PORT: "8123" };
  writeFiles(folder.path, { "runtime.yaml": "spec: {services: {daemon: {host: 127.0.0.2}}}" });
  const { stdout } = await argosy(folder.path, ["config", "--json", "--log-level", "debug"], { env });
  const settings = JSON.parse(stdout).settings;
  expect(settings).toContainEqual({
    key: "api_token",
    value: "••••••••",
    source: "environment",
    name: "PLATFORM_API_TOKEN",
  });
  expect(settings).toContainEqual({
    key: "services.daemon.port",
    value: "8123",
    source: "environment",
    name: "PLATFORM_PORT",
  });
  expect(settings).toContainEqual({ key: "log.level", value: "debug", source: "flag", name: "--log-level" });
  expect(settings).toContainEqual({
    key: "services.daemon.host",
    value: "127.0.0.2",
    source: "runtime.yaml",
    name: "spec.services.daemon.host",
  });
  expect(readdirSync(folder.path)).toEqual(["runtime.yaml"]);
});

executableTest("secrets are made once, shown masked, and revealed when asked", async () => {
  using folder = temporaryFolder();
  expect((await argosy(folder.path, ["secrets", "init"])).code).toBe(0);
  const made = JSON.parse(readFileSync(join(folder.path, ".argosy/secrets.json"), "utf8"));
  const shown = await argosy(folder.path, ["secrets", "show"]);
  const keyOf = (ring: string) => ring.slice(ring.indexOf(":") + 1);
  for (const ring of Object.values<string>(made))
    expect(shown.stdout + shown.stderr).not.toContain(keyOf(ring));
  const { stdout } = await argosy(folder.path, ["secrets", "show", "--reveal"]);
  expect(stdout).toBe(`ARGOSY_SEALING_KEYS=${made.sealing_keys}\nARGOSY_JWT_KEYS=${made.jwt_keys}\n`);
});

describe("exit codes and messages", () => {
  const cases: [what: string, args: string[], code: number, stderr: string | RegExp][] = [
    ["an unknown command", ["rnu"], 2, /^error: unknown command 'rnu'\.\nDid you mean run\?/],
    ["an unknown option", ["agents", "--wide"], 2, /^error: unknown option '--wide'/],
    ["no agent of that name", ["run", "nobody", "hi"], 1, /^error: There is no agent named "nobody"\.\n/],
    ["no query, and no terminal to ask at", ["run", "nobody"], 2, "error: The query is empty.\n"],
    ["a trace that is not there", ["traces", "none"], 1, /^error: There is no trace/],
    ["a value that is none", ["serve", "--port", "many"], 2, /--port must be a port from 0 to 65535/],
    [
      "a workspace that is not there",
      ["serve", "--workspace", "nowhere"],
      2,
      /--workspace must be a folder that exists/,
    ],
    ["a broken agent", ["validate", "broken.agent.yaml"], 1, /broken\.agent\.yaml/],
    ["an empty workspace", ["agents"], 0, /`argosy init` creates one/],
  ];
  for (const [what, args, code, stderr] of cases) {
    executableTest(`${what}: ${code}`, async () => {
      using folder = temporaryFolder();
      writeFiles(folder.path, { "broken.agent.yaml": "apiVersion: platform/v1\nkind: Agent\nmetdata: {}\n" });
      const ended = await argosy(folder.path, args);
      expect(ended.code).toBe(code);
      expect(ended.stderr).toMatch(stderr);
    });
  }

  executableTest("with --json an error is a document on stdout", async () => {
    using folder = temporaryFolder();
    const { code, stdout, stderr } = await argosy(folder.path, ["run", "nobody", "hi", "--json"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ error: "agent_not_found" });
  });
});

executableTest("chat takes a query a line from stdin, in one session", async () => {
  using folder = temporaryFolder();
  await argosy(folder.path, ["init"]);
  const stdin = `${question}\nAnd what time is it in Oslo?\n`;
  const { code, stdout } = await argosy(folder.path, ["chat", "assistant", "--json"], { stdin });
  const answers = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(answers.map(({ tool_calls }) => tool_calls[0].input.timezone)).toEqual([
    "Asia/Tokyo",
    "Europe/Oslo",
  ]);
  expect(new Set(answers.map(({ session_id }) => session_id)).size).toBe(1);
});

executableTest(
  "bash completes commands by the completion script",
  async () => {
    using folder = temporaryFolder();
    const { stdout } = await argosy(folder.path, ["completion", "bash"]);
    const complete = (words: string) =>
      `COMP_WORDS=(argosy ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _argosy; echo "\${COMPREPLY[@]}"`;
    const script = `${stdout}\n${complete("ru")}\n${complete("serve --re")}\n${complete("secrets ro")}`;
    const shell = Bun.spawnSync(["bash", "--norc", "-c", script]);
    expect(shell.stderr.toString()).toBe("");
    expect(shell.stdout.toString()).toBe("run\n--rehearse\nrotate\n");
  },
  Bun.which("bash") === null ? "no bash" : undefined,
);
