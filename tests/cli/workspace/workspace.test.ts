import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtParts } from "../../../src/command/parts.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { say } from "../recording-shell.ts";

const agentText = (name: string, more = "") => `apiVersion: platform/v1
kind: Agent
metadata: {name: ${name}}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
${more}`;

/** Runs a command line with a folder as the workspace. */
const at =
  (folder: string) =>
  (...args: string[]) =>
    say([...args, "--workspace", folder], { folder, parts: builtParts });

describe("init", () => {
  test("makes a workspace that is valid without changes", async () => {
    using folder = temporaryFolder();
    const said = await at(folder.path)("init", "--json");
    expect(said.code).toBe(0);
    expect(JSON.parse(said.stdout).files).toEqual([
      "agents/assistant.agent.yaml",
      "evals/assistant.eval.yaml",
      "tools/stock_level.ts",
      "providers.yaml",
      "runtime.yaml",
      ".gitignore",
    ]);
    expect(readFileSync(join(folder.path, ".gitignore"), "utf8")).toBe(".argosy/\n.env\n");
    expect(await at(folder.path)("validate")).toMatchObject({ code: 0, stdout: "" });
  });
  test.each([
    ["every line", () => true],
    ["one block after another", undefined],
  ] as const)("removing one # from %s leaves valid files", async (_lines, all) => {
    using folder = temporaryFolder();
    await at(folder.path)("init");
    for (const name of ["providers.yaml", "runtime.yaml"]) {
      const path = join(folder.path, name);
      const lines = readFileSync(path, "utf8").split("\n");
      const isExample = (line: string) => /^ *#(?!#)/.test(line);
      // A block is a run of commented lines without an empty one.
      const blocks = lines.flatMap((line, at) =>
        isExample(line) && !isExample(lines[at - 1] ?? "") ? [at] : [],
      );
      expect(blocks.length).toBeGreaterThan(1);
      const ways = all
        ? [lines.map((line) => line.replace("#", ""))]
        : blocks.map((from) => {
            const to = lines.findIndex((line, at) => at > from && !isExample(line));
            return lines.map((line, at) => (at >= from && at < to ? line.replace("#", "") : line));
          });
      for (const way of ways) {
        writeFileSync(path, way.join("\n"));
        const said = await at(folder.path)("validate");
        // A default candidate whose provider is still commented out is named as such.
        if (said.code !== 0) expect(said.stdout).toContain("default.candidates");
      }
    }
  });
  test("--model gives the model to a workspace that nobody has changed, and says what to write where someone has", async () => {
    using folder = temporaryFolder();
    await at(folder.path)("init", "--agent", "desk");
    const again = ["init", "--agent", "desk", "--model", "ollama/llama3.2"];
    const said = await at(folder.path)(...again, "--json");
    expect(JSON.parse(said.stdout).files).toEqual(["agents/desk.agent.yaml", "providers.yaml"]);
    const path = join(folder.path, "providers.yaml");
    const given = readFileSync(path, "utf8");
    expect(given).toContain("endpoint: http://127.0.0.1:11434");
    const refused = await at(folder.path)(...again);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('`ollama: {"type":"ollama","endpoint":"http://127.0.0.1:11434"}`');
    expect(readFileSync(path, "utf8")).toBe(given);
  });
  test.each<[string, Record<string, unknown>]>([
    [
      "ollama/llama3.2",
      { providers: { ollama: { type: "ollama", endpoint: "http://127.0.0.1:11434" } }, model: "llama3.2" },
    ],
    ["lmstudio/qwen: 3", {}],
    [
      "openai/gpt-4o-mini",
      { providers: { openai: { type: "openai", api_key_env: "OPENAI_API_KEY" } }, model: "gpt-4o-mini" },
    ],
  ])("--model %s writes the provider and makes it the default of its agent", async (name, wanted) => {
    using folder = temporaryFolder();
    const said = await at(folder.path)("init", "--model", name, "--json");
    if (Object.keys(wanted).length === 0) {
      expect(said.code).toBe(2);
      expect(existsSync(join(folder.path, "providers.yaml"))).toBe(false);
      return;
    }
    expect(JSON.parse(said.stdout).model).toBe(name);
    const file = Bun.YAML.parse(readFileSync(join(folder.path, "providers.yaml"), "utf8")) as {
      providers: unknown;
      default: { candidates: { model: string }[] };
    };
    expect(file.providers).toEqual(wanted.providers);
    expect(file.default.candidates[0]?.model).toBe(String(wanted.model));
    // A key that is missing is told as such.
    const { stdout } = await at(folder.path)("validate");
    expect(stdout.replace(/.*which is not set; set it to the key\n/, "")).toBe("");
    expect(readFileSync(join(folder.path, "agents/assistant.agent.yaml"), "utf8")).not.toContain("rehearsal");
  });
  test.each(["nothing/x", "ollama/", "vllm2", "rehearsal", "hf_tgi/x", "/x", " "])(
    "--model %j is not a model, and nothing is written",
    async (name) => {
      using folder = temporaryFolder();
      expect((await at(folder.path)("init", "--model", name)).code).toBe(2);
      expect(existsSync(join(folder.path, "providers.yaml"))).toBe(false);
    },
  );
  test("names the agent after --agent, and refuses an invalid name", async () => {
    using folder = temporaryFolder();
    await at(folder.path)("init", "--agent", "desk");
    expect(readFileSync(join(folder.path, "agents/desk.agent.yaml"), "utf8")).toContain("\n  name: desk\n");
    for (const name of ["../evil", "By", "by-id", ""]) {
      expect((await at(folder.path)("init", "--agent", name)).code).toBe(2);
    }
  });
  test("overwrites no file without --force", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "runtime.yaml"), "mine");
    const refused = await at(folder.path)("init");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("already contains runtime.yaml");
    expect(existsSync(join(folder.path, "agents"))).toBe(false);
    expect((await at(folder.path)("init", "--force")).code).toBe(0);
    expect(readFileSync(join(folder.path, "runtime.yaml"), "utf8")).toContain("spec:");
  });
  test("adds to a .gitignore, and not twice", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, ".gitignore"), "node_modules/");
    await at(folder.path)("init");
    await at(folder.path)("init", "--force");
    expect(readFileSync(join(folder.path, ".gitignore"), "utf8")).toBe("node_modules/\n.argosy/\n.env\n");
  });
});

describe("validate", () => {
  test("names file, line and column of each fault", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "agents"));
    writeFileSync(join(folder.path, "agents/a.agent.yaml"), agentText("a", "  idenity: {}\n"));
    writeFileSync(join(folder.path, "agents/b.agent.yaml"), agentText("b"));
    const said = await at(folder.path)("validate");
    expect(said.code).toBe(1);
    expect(said.stdout).toMatch(/^agents\/a\.agent\.yaml:6:3: spec\.idenity .*identity/);
    expect(said.stdout.trimEnd().split("\n")).toHaveLength(1);
    const document = JSON.parse((await at(folder.path)("validate", "--json")).stdout);
    expect(document.valid).toBe(false);
    expect(document.files.map(({ file }: { file: string }) => file)).toEqual([
      "agents/a.agent.yaml",
      "agents/b.agent.yaml",
    ]);
  });
  test("lists the variables that a file reads, and which are not set", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "x.agent.yaml");
    writeFileSync(path, agentText("x", `  identity: {description: "\${PATH} \${ARGOSY_TEST_UNSET}"}\n`));
    const said = await at(folder.path)("validate", "x.agent.yaml");
    expect(said.code).toBe(1);
    expect(said.stdout).toContain("ARGOSY_TEST_UNSET");
    expect(said.stderr).toContain("reads PATH, ARGOSY_TEST_UNSET (not set)");
  });
  test("finds faults that agents have only together", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "agents/desk"), { recursive: true });
    writeFileSync(join(folder.path, "agents/a.agent.yaml"), agentText("same"));
    writeFileSync(join(folder.path, "agents/desk/b.agent.yaml"), agentText("same"));
    const said = await at(folder.path)("validate");
    expect(said.stdout.split("\n").filter((line) => line.includes("metadata.name is taken"))).toHaveLength(2);
    // Also if only one of them is checked.
    expect((await at(folder.path)("validate", "agents/desk")).code).toBe(1);
  });
  test("refuses what this version can't honour", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "x.agent.yaml"), agentText("x", "  knowledge: {pipeline: handbook}\n"));
    expect((await at(folder.path)("validate", "x.agent.yaml")).stdout).toContain(
      "spec.knowledge.pipeline is a pipeline that is not loaded: handbook",
    );
    mkdirSync(join(folder.path, "rag"));
    const pipeline = "apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: handbook}\nspec: {}\n";
    writeFileSync(join(folder.path, "rag/handbook.rag.yaml"), pipeline);
    expect((await at(folder.path)("validate", "x.agent.yaml")).stdout).not.toContain("spec.knowledge");
  });
  test("tells a file by its kind where its name says nothing", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "good.yaml"), agentText("x"));
    writeFileSync(join(folder.path, "what.yaml"), "hello: 1\n");
    expect((await at(folder.path)("validate", "good.yaml")).code).toBe(0);
    expect((await at(folder.path)("validate", "what.yaml")).stdout).toContain(
      "is not a file that Argosy knows",
    );
  });
  test("does not pass over nothing", async () => {
    using folder = temporaryFolder();
    expect((await at(folder.path)("validate")).code).toBe(2);
    expect((await at(folder.path)("validate", "missing.yaml")).code).toBe(2);
  });
});

test("schema prints the JSON Schema of every kind", async () => {
  for (const kind of ["agent", "rag-pipeline", "providers", "runtime", "channels", "connections"]) {
    const said = await say(["schema", kind], { parts: builtParts });
    expect(JSON.parse(said.stdout)).toMatchObject({ $id: `urn:argosy:schema:${kind}`, type: "object" });
  }
});

test("config shows where each value comes from", async () => {
  using folder = temporaryFolder();
  writeFileSync(
    join(folder.path, "runtime.yaml"),
    "spec: {services: {daemon: {port: 9000}}, limits: {runs_waiting: 7}, tenants: {tools: [read_file, sql_query]}}\n",
  );
  const said = await at(folder.path)("config", "--json");
  const { settings } = JSON.parse(said.stdout);
  const row = (key: string) => settings.find((each: { key: string }) => each.key === key);
  expect(row("services.daemon.port")).toMatchObject({ value: "9000", source: "runtime.yaml" });
  const ours = { source: "runtime.yaml" };
  expect(row("limits.runs_waiting")).toMatchObject({ ...ours, value: "7", name: "spec.limits.runs_waiting" });
  expect(row("tenants.tools")).toMatchObject({ ...ours, value: "read_file,sql_query" });
  expect(row("limits.runs_in_flight")).toMatchObject({ source: "default", value: "256" });
  expect(row("defaults.orchestration.pattern")).toMatchObject({ source: "default", value: "react" });
  expect(row("workspace")).toMatchObject({ value: folder.path, source: "flag" });
});

describe("secrets", () => {
  const stored = (folder: string) => JSON.parse(readFileSync(join(folder, ".argosy/secrets.json"), "utf8"));

  test("init makes them once, for this user alone", async () => {
    using folder = temporaryFolder();
    const secrets = (...args: string[]) => at(folder.path)("secrets", ...args, "--json");
    expect(JSON.parse((await secrets("init")).stdout).created).toBe(true);
    const first = stored(folder.path);
    expect(statSync(join(folder.path, ".argosy/secrets.json")).mode & 0o777).toBe(0o600);
    expect(JSON.parse((await secrets("init")).stdout).created).toBe(false);
    expect(stored(folder.path)).toEqual(first);
  });
  test("init --print stores nothing", async () => {
    using folder = temporaryFolder();
    const said = await at(folder.path)("secrets", "init", "--print");
    expect(said.stdout).toMatch(/^ARGOSY_SEALING_KEYS=[0-9a-f]+:\S+\nARGOSY_JWT_KEYS=[0-9a-f]+:\S+\n$/);
    expect(existsSync(join(folder.path, ".argosy"))).toBe(false);
  });
  test("show masks them, unless --reveal is given", async () => {
    using folder = temporaryFolder();
    await at(folder.path)("secrets", "init");
    const { sealing_keys: ring } = stored(folder.path);
    const secret = ring.split(":")[1];
    const masked = await at(folder.path)("secrets", "show");
    expect(masked.stdout).toContain("generated");
    expect(masked.stdout + masked.stderr).not.toContain(secret);
    expect((await at(folder.path)("secrets", "show", "--reveal")).stdout).toContain(
      `ARGOSY_SEALING_KEYS=${ring}\n`,
    );
  });
  test("rotate puts a new key first and keeps the old", async () => {
    using folder = temporaryFolder();
    await at(folder.path)("secrets", "init");
    const before = stored(folder.path);
    const said = await at(folder.path)("secrets", "rotate", "sealing_keys");
    expect(said.code).toBe(0);
    const after = stored(folder.path);
    expect(after.jwt_keys).toBe(before.jwt_keys);
    expect(after.sealing_keys.split(",")).toHaveLength(2);
    expect(after.sealing_keys).toEndWith(before.sealing_keys);
    expect(said.stdout).not.toContain(before.sealing_keys.split(":")[1]);
  });
  test("rotate needs some", async () => {
    using folder = temporaryFolder();
    expect((await at(folder.path)("secrets", "rotate")).stderr).toContain("argosy secrets init");
  });
});
