import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { validateFiles, validateWorkspace } from "../../src/command/validate.ts";
import { textFrom } from "../../src/services/daemon/manifests/manifest-sender.ts";
import { agentFile } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

test("agents are checked against those they would be loaded with", () => {
  using folder = temporaryFolder();
  const chain = (agent: string) => ({ chain: { on_complete: [{ agent }] } });
  const agents = {
    a: chain("b"),
    b: { tools: [{ name: "ask_c", type: "agent", config: { agent: "c" } }] },
    d: chain("d"),
    e: {},
  };
  const paths = Object.entries(agents).map(([name, spec]) => {
    const path = join(folder.path, `${name}.agent.yaml`);
    writeFileSync(path, agentFile(name, spec));
    return path;
  });
  const validated = validateFiles({
    workspace: folder.path,
    paths,
    registries: { agent: {}, ragPipeline: {}, providerTypes: [] },
    variables: () => undefined,
    agentProblems: () => [],
  });
  const told = validated.map(({ file, problems }) => {
    return [file, ...problems.map(({ path, message }) => `${path} ${message}`)];
  });
  expect(told).toEqual([
    ["a.agent.yaml", "spec.chain.on_complete[0].agent is an agent that can't be loaded: b"],
    ["b.agent.yaml", "spec.tools[0].config.agent is not a loaded agent: c"],
    ["d.agent.yaml", "spec.chain.on_complete leads in a cycle: d → d"],
    ["e.agent.yaml"],
  ]);
});

test("a file that a stranger sent is judged by a stranger's rights, as the start judges it", async () => {
  using folder = temporaryFolder();
  const write = (name: string, text: string) => {
    mkdirSync(join(folder.path, dirname(name)), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  };
  const model = { primary: { provider: "rehearsal", model: "m" } };
  const risky = (name: string) =>
    agentFile(name, {
      model,
      tools: [{ name: "read_file", type: "builtin", config: { allowed_paths: ["/etc"] } }],
    });
  write("agents/own.agent.yaml", risky("own"));
  write("agents/sent.agent.yaml", textFrom(risky("sent"), "stranger"));
  const reading = agentFile("reading", { model, prompts: { system: `\${HOME}` } });
  write("agents/reading.agent.yaml", textFrom(reading, "stranger"));
  const pipeline = JSON.stringify({
    apiVersion: "platform/v1",
    kind: "RAGPipeline",
    metadata: { name: "shelf" },
    spec: { vector_store: { backend: "qdrant", url: "http://127.0.0.1:6333" } },
  });
  write("rag/shelf.rag.yaml", textFrom(pipeline, "stranger"));
  const validated = await validateWorkspace({ workspace: folder.path }, []);
  const paths = Object.fromEntries(
    validated.map(({ file, problems }) => [file, problems.map(({ path }) => path)]),
  );
  expect(paths).toEqual({
    "agents/own.agent.yaml": [],
    "agents/sent.agent.yaml": ["spec.tools[0].config.allowed_paths[0]"],
    "agents/reading.agent.yaml": ["spec.prompts.system"],
    "rag/shelf.rag.yaml": ["spec.vector_store.url"],
  });
});

test.each([
  ["providers.yaml", "providers: {late: {type: vllm, endpoint: 'http://127.0.0.1:1', modls: 1}}"],
  ["connections.yaml", "connections: {shop: {base_url: 5}}"],
  ["rag/faq.rag.yaml", "apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: [faq]}\n"],
  ["prices.yaml", "vendors: ["],
  ["channels.yaml", "channels: 5"],
  ["runtime.yaml", "spec: ["],
])("a fault in %s is told for that file alone, and hides no fault of another", async (name, text) => {
  using folder = temporaryFolder();
  const files: Record<string, string> = {
    "providers.yaml": "providers: {late: {type: vllm, endpoint: 'http://127.0.0.1:1'}}",
    "connections.yaml": "connections: {shop: {base_url: 'https://shop.example'}}",
    "rag/faq.rag.yaml": JSON.stringify({
      apiVersion: "platform/v1",
      kind: "RAGPipeline",
      metadata: { name: "faq" },
      spec: {},
    }),
    "agents/good.agent.yaml": agentFile("good", {
      model: { primary: { provider: "late", model: "m" } },
      tools: [{ name: "http_request", type: "builtin", config: { connection: "shop" } }],
      knowledge: { pipeline: "faq" },
    }),
    "agents/bad.agent.yaml": agentFile("bad", { memory: 5 }),
    [name]: text,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder.path, dirname(path)), { recursive: true });
    writeFileSync(join(folder.path, path), content);
  }
  const validated = await validateWorkspace({ workspace: folder.path }, []);
  const faulty = validated.filter(({ problems }) => problems.length > 0).map(({ file }) => file);
  expect(faulty.sort()).toEqual([name, "agents/bad.agent.yaml"].sort());
});
